// Attributes and their keys, for all kinds of objects that have them. Plain data of the upper half: values are the
// program's own pointers or numbers, callbacks its own functions.
#pragma once
#include <mana/core/kind.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace mana::object {

/// An attribute. If Fortran has set it, it is a number, and C gets its address. If C has set it, it is a pointer, and
/// Fortran gets its bits (MPI-4.1 19.3.7).
struct attribute {
  int key;
  void* value;                               // the value that C gets
  std::shared_ptr<std::int64_t> number;      // target of `value` if Fortran has set it

  attribute(int of, void* pointer) : key(of), value(pointer) {}
  attribute(int of, std::int64_t given)
      : key(of), value(nullptr), number(std::make_shared<std::int64_t>(given)) { value = number.get(); }

  std::int64_t bits() const noexcept { return number != nullptr ? *number : reinterpret_cast<std::int64_t>(value); }
};

/// Attributes of one object, in the order in which they were first set. INV-11 no key stands here twice.
struct attribute_list {
  std::vector<attribute> items;

  attribute* find(int key) noexcept {
    const auto at = std::find_if(items.begin(), items.end(), [key](const attribute& a) { return a.key == key; });
    return at != items.end() ? &*at : nullptr;
  }
  void remove(int key) noexcept { std::erase_if(items, [key](const attribute& a) { return a.key == key; }); }
};

/// Functions that are not C's are called through these proxies, in the form of MPICH's bindings: they get the handle as
/// in Fortran, and the attribute's bits. form: 0 pointer, 1 number      out: error code
using copy_proxy = int (*)(void (*function)(), int handle, int key, void* extra, int form, void* bits, void** copy,
                           int* wanted);
using remove_proxy = int (*)(void (*function)(), int handle, int key, int form, void* bits, void* extra);

/// The arguments of MPI_*_create_keyval. The callbacks' parameters differ only in the object's handle type.
struct attribute_key {
  kind_code object = kind_code::none;    // comm, datatype or win; none: the slot is free
  void (*copy)() = nullptr;              // nullptr: the attribute is not copied
  void (*remove)() = nullptr;            // nullptr: nothing is called
  void* extra = nullptr;
  std::uint32_t users = 0;               // attributes that have this key
  bool freed = false;                    // by the program; the key is kept while it has users
  copy_proxy by_copy_proxy = nullptr;    // null: the functions are C's
  remove_proxy by_remove_proxy = nullptr;
};

/// All keys. Their numbers begin above those of all predefined keys of all mpi.h, so a number alone tells the two
/// apart.
class key_table {
 public:
  static constexpr int first = 0x0100'0000;

  int insert(const attribute_key& key) {
    const auto spare =
        std::find_if(keys_.begin(), keys_.end(), [](const attribute_key& k) { return k.object == kind_code::none; });
    const auto index = static_cast<int>(spare - keys_.begin());
    if (spare == keys_.end()) keys_.push_back(key);
    else *spare = key;
    return first + index;
  }
  /// out: nullptr for a number that is no key, or a key of another kind of object
  attribute_key* find(int number, kind_code object) noexcept {
    const long index = static_cast<long>(number) - first;
    if (index < 0 || index >= static_cast<long>(keys_.size())) return nullptr;
    attribute_key& k = keys_[static_cast<std::size_t>(index)];
    return k.object == object ? &k : nullptr;
  }
  /// The program frees the key.
  void free(attribute_key& k) noexcept {
    k.freed = true;
    if (k.users == 0) k.object = kind_code::none;
  }
  void add_user(attribute_key& k) noexcept { ++k.users; }
  void drop_user(attribute_key& k) noexcept {
    if (--k.users == 0 && k.freed) k.object = kind_code::none;
  }

 private:
  std::vector<attribute_key> keys_;
};

}  // namespace mana::object
