// What is known of a datatype: how it was made (enough to answer MPI_Type_get_contents and to make it again), and its
// layout (so that MPI_Type_size and its relatives cost a table look-up).
#pragma once
#include <mana/lower/neutral.hpp>
#include <mana/vid/id_table.hpp>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace mana::vid {

struct attribute_list;          // attribute_store.hpp

/// MPI's combiners of derived datatypes; named ones have no descriptor.
enum class combiner : std::uint8_t {
  dup, contiguous, vector, hvector, indexed, hindexed, indexed_block, hindexed_block, structure, subarray, darray,
  f90_real, f90_complex, f90_integer, resized,
};

/// In bytes; values that MPI leaves undefined (do not fit) are neutral::undefined.
struct type_layout {
  std::int64_t size = 0, lb = 0, extent = 0, true_lb = 0, true_extent = 0;
};

/// The arguments of a constructor, as MPI_Type_get_contents_c gives them back. One block of memory; move only.
class recipe {
 public:
  recipe() = default;
  /// Zeroed arrays of these lengths. empty() when there is no memory.
  recipe(combiner how, int ints, int addresses, int counts, int types) noexcept
      : how_(how), ints_(ints), addresses_(addresses), counts_(counts), types_(types) {
    block_ = static_cast<char*>(std::calloc(1, bytes() + 1));
  }
  recipe(recipe&& other) noexcept { swap(other); }
  recipe& operator=(recipe&& other) noexcept { swap(other); return *this; }
  ~recipe() { std::free(block_); }

  bool empty() const noexcept { return block_ == nullptr; }
  combiner how() const noexcept { return how_; }
  /// Made by a large-count constructor: its counts are in counts(), not in ints().
  bool large() const noexcept { return counts_ > 0; }
  int ints_size() const noexcept { return ints_; }
  int addresses_size() const noexcept { return addresses_; }
  int counts_size() const noexcept { return counts_; }
  int types_size() const noexcept { return types_; }

  std::uint64_t* reals() const noexcept { return reinterpret_cast<std::uint64_t*>(block_); }   // scratch: uint64[types]
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
  void swap(recipe& o) noexcept {
    std::swap(block_, o.block_);
    std::swap(how_, o.how_);
    std::swap(ints_, o.ints_);
    std::swap(addresses_, o.addresses_);
    std::swap(counts_, o.counts_);
    std::swap(types_, o.types_);
  }
  char* block_ = nullptr;
  combiner how_ = combiner::dup;
  int ints_ = 0, addresses_ = 0, counts_ = 0, types_ = 0;
};

/// entry::references: outer datatypes, receives and persistent requests that need it. INV-12 an entry is erased, and its
/// real datatype freed, when it has neither references nor handles of the application.
template <>
struct descriptor<kind::datatype> {
  recipe made;
  type_layout layout;
  std::int64_t elements = 0;             // basic elements in one
  std::uint32_t handles = 1;             // of the application: MPI_Type_get_contents may give out more
  bool committed = false;
  bool permanent = false;                // a Fortran 90 parameterised type: never freed
  attribute_list* attributes = nullptr;  // owned; gone when the last handle is freed
  char* name = nullptr;                  // owned; nullptr: none was set

  descriptor() = default;
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() { std::free(name); }
};

/// How many datatypes may have lost their last reference; they are freed by the next constructor or MPI_Type_free,
/// because references are dropped in drains too, where nothing may be freed.
inline std::atomic<std::uint32_t> forsaken_datatypes{0};

inline bool is_forsaken(const entry<kind::datatype>& e) noexcept {
  return e.what.handles == 0 && __atomic_load_n(&e.references, __ATOMIC_RELAXED) == 0;
}

/// in: name  neutral code (nothing to do) or bits of a virtual id
inline void keep_datatype(std::uint32_t name) noexcept {
  if (name < neutral::predefined_limit) return;
  if (entry<kind::datatype>* const e = table<kind::datatype>().find(virt<kind::datatype>(name)))
    __atomic_fetch_add(&e->references, 1, __ATOMIC_RELAXED);
}
/// Frees nothing itself; usable in a drain.
inline void release_datatype(std::uint32_t name) noexcept {
  if (name < neutral::predefined_limit) return;
  entry<kind::datatype>* const e = table<kind::datatype>().find(virt<kind::datatype>(name));
  if (e == nullptr) return;
  if (__atomic_fetch_sub(&e->references, 1, __ATOMIC_ACQ_REL) == 1 && e->what.handles == 0)
    forsaken_datatypes.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace mana::vid
