// Basic elements of datatypes, for MPI_Get_elements and MPI_Status_set_elements: counted from the recipes.
#pragma once
#include <mana/object/datatype/predefined.hpp>

#include <optional>

namespace mana::object {

inline std::int64_t elements_named(std::uint32_t name) noexcept;

/// Length of block k of a struct.
inline std::int64_t block_length(const recipe& r, int k) noexcept {
  return r.large() ? r.counts()[1 + k] : r.ints()[1 + k];
}

/// in: size  bytes of one datatype of this recipe      out: basic elements in it
inline std::int64_t count_elements(const recipe& r, std::int64_t size) noexcept {
  if (r.types_size() == 0) return r.how() == combiner::structure ? 0 : 1;      // a Fortran 90 type is basic
  std::int64_t total = 0;
  if (r.how() == combiner::structure) {
    for (int k = 0; k < r.types_size(); ++k) total += block_length(r, k) * elements_named(r.types()[k]);
    return total;
  }
  const std::int64_t inner = layout_named(r.types()[0]).size;
  return inner > 0 ? size / inner * elements_named(r.types()[0]) : 0;
}

/// Counted when first needed. cost: afterwards a look-up
inline std::int64_t elements_named(std::uint32_t name) noexcept {
  if (name < neutral::predefined_limit) return predefined(name).first_of_pair > 0 ? 2 : 1;
  descriptor<kind::datatype>& d = vid::table<kind::datatype>().find(virt<kind::datatype>(name))->what;
  if (d.elements < 0) d.elements = count_elements(d.made, layout_named(name).size);
  return d.elements;
}

/// A position inside a datatype's sequence of basic elements, in bytes and in elements. A walk passes whole blocks
/// while they do not exceed a limit, then enters the block in which it ends.
struct element_walk {
  std::int64_t bytes = 0, elements = 0;
  std::int64_t byte_limit, element_limit;

  bool at_end() const noexcept { return bytes >= byte_limit || elements >= element_limit; }
  /// Advances by up to n datatypes of that name. cost: O(depth · blocks of structs)
  void go(std::uint32_t name, std::int64_t n) noexcept {
    const std::int64_t size = layout_named(name).size, each = elements_named(name);
    if (size == 0 || each == 0) return;
    std::int64_t whole = n;
    whole = std::min(whole, (byte_limit - bytes) / size);
    whole = std::min(whole, (element_limit - elements) / each);
    bytes += whole * size;
    elements += whole * each;
    if (whole < n && !at_end()) enter(name);
  }

 private:
  void enter(std::uint32_t name) noexcept {
    if (name < neutral::predefined_limit) {
      const std::int64_t first = predefined(name).first_of_pair;
      if (first > 0 && bytes + first <= byte_limit) { bytes += first; ++elements; }
      return;
    }
    const recipe& r = vid::table<kind::datatype>().find(virt<kind::datatype>(name))->what.made;
    if (r.how() != combiner::structure) {
      if (r.types_size() > 0) go(r.types()[0], INT64_MAX);
      return;
    }
    for (int k = 0; k < r.types_size() && !at_end(); ++k) {
      const std::int64_t before = elements, n = block_length(r, k);
      go(r.types()[k], n);
      if (elements - before < n * elements_named(r.types()[k])) return;     // ended inside this block
    }
  }
};

/// Basic elements in the first `bytes` of datatypes of that name; nullopt if they end inside a basic element.
inline std::optional<std::int64_t> elements_in(std::uint32_t name, std::int64_t bytes) noexcept {
  element_walk walk{0, 0, bytes, INT64_MAX};
  walk.go(name, INT64_MAX);
  if (walk.bytes != bytes) return std::nullopt;
  return walk.elements;
}
/// Bytes of the first `elements` basic elements of datatypes of that name.
inline std::int64_t bytes_of_elements(std::uint32_t name, std::int64_t elements) noexcept {
  element_walk walk{0, 0, INT64_MAX, elements};
  walk.go(name, INT64_MAX);
  return walk.bytes;
}

}  // namespace mana::object
