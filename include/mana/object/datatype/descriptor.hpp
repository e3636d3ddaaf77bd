// The descriptor of a datatype. The recipe, which says how it was made, answers MPI_Type_get_contents and makes it
// again. The layout answers MPI_Type_size and its relatives at the cost of a table look-up.
#pragma once
#include <mana/lower/inventory.hpp>
#include <mana/lower/neutral.hpp>
#include <mana/vid/id_table.hpp>
#include <mana/vid/object_class.hpp>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace mana {

template <>
struct class_facts<kind::datatype> {
  static constexpr int error = neutral::err_type;
  static constexpr lower::counted counted = lower::counted::datatypes;
  static constexpr bool follows_thread_level = true;
};

}  // namespace mana

namespace mana::object {

struct attribute_list;          // object/attribute/store.hpp

/// MPI's combiners of derived datatypes; named ones have no descriptor.
enum class combiner : std::uint8_t {
  dup, contiguous, vector, hvector, indexed, hindexed, indexed_block, hindexed_block, structure, subarray, darray,
  f90_real, f90_complex, f90_integer, resized,
};

/// In bytes; values that MPI leaves undefined (do not fit) are neutral::undefined.
struct type_layout {
  std::int64_t size = 0, lb = 0, extent = 0, true_lb = 0, true_extent = 0;
};

/// The arguments of a constructor, as MPI_Type_get_contents_c returns them. One block of memory, inside the recipe if
/// they are few; move only.
class recipe {
 public:
  recipe() = default;
  /// Zeroed arrays of these lengths. empty() if there is no memory.
  recipe(combiner how, int ints, int addresses, int counts, int types) noexcept
      : how_(how), ints_(ints), addresses_(addresses), counts_(counts), types_(types) {
    if (bytes() > few) block_ = static_cast<std::byte*>(std::calloc(1, bytes()));
    else std::memset(inside_, 0, few);
  }
  recipe(recipe&& other) noexcept { take(other); }
  recipe& operator=(recipe&& other) noexcept {
    std::free(block_);
    take(other);
    return *this;
  }
  ~recipe() { std::free(block_); }

  bool empty() const noexcept { return bytes() > few && block_ == nullptr; }
  combiner how() const noexcept { return how_; }
  /// True if a large-count constructor made it: its counts are in counts(), not in ints().
  bool large() const noexcept { return counts_ > 0; }
  int ints_size() const noexcept { return ints_; }
  int addresses_size() const noexcept { return addresses_; }
  int counts_size() const noexcept { return counts_; }
  int types_size() const noexcept { return types_; }

  real<kind::datatype>* reals() const noexcept {                                               // scratch: real[types]
    return reinterpret_cast<real<kind::datatype>*>(block_ != nullptr ? block_ : inside_);
  }
  std::int64_t* addresses() const noexcept { return reinterpret_cast<std::int64_t*>(reals() + types_); }
  std::int64_t* counts() const noexcept { return addresses() + addresses_; }
  int* ints() const noexcept { return reinterpret_cast<int*>(counts() + counts_); }
  int* narrow() const noexcept { return ints() + ints_; }                                      // scratch: int[counts]
  /// Neutral codes or bits of virtual ids.
  std::uint32_t* types() const noexcept { return reinterpret_cast<std::uint32_t*>(narrow() + counts_); }

 private:
  std::size_t bytes() const noexcept {
    const auto words =
        static_cast<std::size_t>(types_) + static_cast<std::size_t>(addresses_) + static_cast<std::size_t>(counts_);
    const auto halves =
        static_cast<std::size_t>(ints_) + static_cast<std::size_t>(counts_) + static_cast<std::size_t>(types_);
    return 8 * words + 4 * halves;
  }
  /// Takes the contents of a recipe that will only be destroyed. This one's memory was released before.
  void take(recipe& o) noexcept {
    block_ = std::exchange(o.block_, nullptr);
    std::memcpy(inside_, o.inside_, few);
    how_ = o.how_;
    ints_ = o.ints_;
    addresses_ = o.addresses_;
    counts_ = o.counts_;
    types_ = o.types_;
  }

  static constexpr std::size_t few = 64;       // a vector needs 24, a struct of two members 60
  std::byte* block_ = nullptr;
  alignas(std::uint64_t) mutable std::byte inside_[few];
  combiner how_ = combiner::dup;
  int ints_ = 0, addresses_ = 0, counts_ = 0, types_ = 0;
};

}  // namespace mana::object

namespace mana {

/// entry::references (operands.hpp): one of them is the program's, while it has handles.
/// INV-12 a datatype is freed when it has neither references nor handles of the program: its entry is erased, and its
/// real datatype freed. The code that drops the last reference sees to that, and no other code.
template <>
struct descriptor<kind::datatype> {
  object::recipe made;
  object::type_layout layout;                    // asked from the live MPI when first needed: see layout_named()
  std::atomic<bool> is_laid_out{false};
  std::int64_t elements = -1;          // basic elements in one; below 0: not counted yet
  std::uint32_t handles = 1;           // of the program: MPI_Type_get_contents may give out more
  std::atomic<std::uint32_t> lent{0};  // to functions of the program's operations that run with it
  bool committed = false;
  bool permanent = false;                        // a Fortran 90 parameterised type: never freed
  object::attribute_list* attributes = nullptr;  // owned; deleted when the last handle is freed
  char* name = nullptr;                          // owned; nullptr: none was set

  descriptor() = default;
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() { std::free(name); }
};

}  // namespace mana

namespace mana::object {

/// Datatypes that have lost their last reference, linked by entry::next_free; the number of the first, 0: none. The
/// next constructor or MPI_Type_free frees them, because drains also drop references, and must free nothing.
inline std::atomic<std::uint32_t> forsaken_datatypes{0};

inline bool is_forsaken(const vid::entry<kind::datatype>& e) noexcept {
  return __atomic_load_n(&e.references, __ATOMIC_RELAXED) == 0;
}

/// out: it was the last reference: the caller must end the datatype
inline bool drop_reference(vid::entry<kind::datatype>& e) noexcept {
  return __atomic_fetch_sub(&e.references, 1, __ATOMIC_ACQ_REL) == 1;
}

/// in: name  neutral code (nothing to do) or bits of a virtual id
inline void keep_datatype(std::uint32_t name) noexcept {
  if (name < neutral::predefined_limit) return;
  if (vid::entry<kind::datatype>* const e = vid::table<kind::datatype>().find(virt<kind::datatype>(name)))
    __atomic_fetch_add(&e->references, 1, __ATOMIC_RELAXED);
}
/// Frees nothing itself; usable in a drain.
inline void release_datatype(std::uint32_t name) noexcept {
  if (name < neutral::predefined_limit) return;
  vid::entry<kind::datatype>* const e = vid::table<kind::datatype>().find(virt<kind::datatype>(name));
  if (e == nullptr || !drop_reference(*e)) return;
  e->next_free = forsaken_datatypes.load(std::memory_order_relaxed);
  while (!forsaken_datatypes.compare_exchange_weak(e->next_free, e->index + 1, std::memory_order_release)) {}
}
/// Takes one of the forsaken datatypes; nullptr: there are none. One thread at a time.
inline vid::entry<kind::datatype>* pop_forsaken() noexcept {
  std::uint32_t first = forsaken_datatypes.load(std::memory_order_acquire);
  vid::entry<kind::datatype>* e = nullptr;
  do {
    if (first == 0) return nullptr;
    e = &vid::table<kind::datatype>().at(first - 1);
  } while (!forsaken_datatypes.compare_exchange_weak(first, e->next_free, std::memory_order_acquire));
  return e;
}

}  // namespace mana::object
