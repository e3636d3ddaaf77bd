// Writes down the arguments of a datatype constructor as MPI_Type_get_contents returns them.
#pragma once
#include <mana/object/datatype/life.hpp>

#include <climits>
#include <type_traits>

namespace mana::object {

/// True for the constructors with MPI_Count counts. MPI_Count and MPI_Aint are 64 bits wide, int is not.
template <class Count>
inline constexpr bool is_large = !std::is_same_v<Count, int>;

/// Longer lists are refused: a recipe's arrays are counted with int.
inline constexpr std::int64_t max_entries = INT_MAX / 8;

class recipe_writer {
 public:
  /// numbers: counts, lengths, displacements in elements; offsets: displacements in bytes. In a large recipe both are
  /// counts. plain: numbers that are int in both forms
  recipe_writer(combiner how, bool large, int plain, int numbers, int offsets, int types) noexcept
      : made_(how, plain + (large ? 0 : numbers), large ? 0 : offsets, large ? numbers + offsets : 0, types),
        large_(large) {
    if (made_.empty()) error_ = neutral::err_no_mem;
  }
  bool ok() const noexcept { return error_ == neutral::success; }
  int error() const noexcept { return error_; }
  recipe take() noexcept { return std::move(made_); }

  recipe_writer& plain(int value) noexcept { if (ok()) made_.ints()[ints_++] = value; return *this; }
  recipe_writer& number(std::int64_t value) noexcept {
    if (!ok()) return *this;
    if (large_) made_.counts()[counts_++] = value;
    else made_.ints()[ints_++] = static_cast<int>(value);
    return *this;
  }
  recipe_writer& offset(std::int64_t value) noexcept {
    if (!ok()) return *this;
    if (large_) made_.counts()[counts_++] = value;
    else made_.addresses()[addresses_++] = value;
    return *this;
  }
  template <class T>
  recipe_writer& plains(const T* values, int n) noexcept { for (int k = 0; k < n; ++k) plain(values[k]); return *this; }
  template <class T>
  recipe_writer& numbers(const T* values, std::int64_t n) noexcept {
    for (std::int64_t k = 0; k < n; ++k) number(values[k]);
    return *this;
  }
  template <class T>
  recipe_writer& offsets(const T* values, std::int64_t n) noexcept {
    for (std::int64_t k = 0; k < n; ++k) offset(values[k]);
    return *this;
  }
  recipe_writer& type(MPI_Datatype handle) noexcept {
    if (!ok()) return *this;
    const resolved<kind::datatype> found = resolve_type(handle);
    if (!found.ok) error_ = neutral::err_type;
    else made_.types()[types_++] = name_of(found);
    return *this;
  }

 private:
  recipe made_;
  bool large_;
  int error_ = neutral::success;
  int ints_ = 0, addresses_ = 0, counts_ = 0, types_ = 0;
};

/// Whether a list argument is refused. out: neutral error class
template <class Count, class... Lists>
inline int check_list(Count n, const Lists*... lists) noexcept {
  if (n < 0 || static_cast<std::int64_t>(n) > max_entries) return neutral::err_count;
  return n > 0 && (... || (lists == nullptr)) ? int{neutral::err_arg} : int{neutral::success};
}
template <class Count>
inline bool any_negative(const Count* values, std::int64_t n) noexcept {
  return std::any_of(values, values + n, [](Count v) { return v < 0; });
}

}  // namespace mana::object
