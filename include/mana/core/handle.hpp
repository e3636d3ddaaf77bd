// The two types of handles. The program holds virt<K>. The live lower half gave real<K>, which becomes invalid with it.
// They never convert into each other, nor do handles of two kinds. Only this file converts them from and to bits.
#pragma once
#include <mana/core/kind.hpp>

#include <cstdint>
#include <type_traits>

namespace mana {

/// Virtual id of kind K: 1 | kind (4 bits) | generation (7 bits) | index (20 bits), the top bit first.
/// The top bit is set in every virtual id. No pointer of a program below 2 GiB has it, and of MPICH's predefined
/// handles only the pair datatypes do (see kind_code).
template <class K>
class virt {
 public:
  static constexpr unsigned index_bits = 20;
  static constexpr unsigned generation_bits = 7;
  static constexpr std::uint32_t max_index = (1u << index_bits) - 1;
  static constexpr std::uint32_t max_generation = (1u << generation_bits) - 1;

  explicit constexpr virt(std::uint32_t bits) noexcept : bits_(bits) {}
  static constexpr virt make(std::uint32_t index, std::uint32_t generation) noexcept {
    return virt(0x8000'0000u | (static_cast<std::uint32_t>(K::code) << 27) |
                ((generation & max_generation) << index_bits) | (index & max_index));
  }
  constexpr std::uint32_t bits() const noexcept { return bits_; }
  constexpr std::uint32_t index() const noexcept { return bits_ & max_index; }
  constexpr std::uint32_t generation() const noexcept { return (bits_ >> index_bits) & max_generation; }
  /// True if the bits have the form of an id of this kind. The id need not be live.
  constexpr bool well_formed() const noexcept {
    return (bits_ >> 27) == (0x10u | static_cast<std::uint32_t>(K::code));
  }
  friend constexpr bool operator==(virt, virt) noexcept = default;

 private:
  std::uint32_t bits_;
};

/// Handle of the live lower half, as the neutral 64-bit value that crosses the boundary. It has the register and the
/// memory of a std::uint64_t. It is valid until the next restart. Only entries of id tables and lanes keep one across a
/// restart, because the restart writes those again. The value real<K>{} is no handle. Without braces it is
/// uninitialised, so arrays of them cost nothing.
template <class K>
class real {
 public:
  real() = default;
  explicit constexpr real(std::uint64_t bits) noexcept : bits_(bits) {}
  constexpr std::uint64_t bits() const noexcept { return bits_; }
  explicit constexpr operator bool() const noexcept { return bits_ != 0; }
  friend constexpr bool operator==(real, real) noexcept = default;

 private:
  std::uint64_t bits_;
};

// Wrappers in images may know handles as std::uint64_t: both use the same registers and the same memory. A trivially
// copyable class is passed as its member would be (System V ABI for x86-64, 3.2.3).
static_assert(std::is_trivial_v<real<kind::comm>> && std::is_standard_layout_v<real<kind::comm>>);
static_assert(sizeof(real<kind::comm>) == sizeof(std::uint64_t) && alignof(real<kind::comm>) == alignof(std::uint64_t));

}  // namespace mana
