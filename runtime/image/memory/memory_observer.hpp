// Looks at the program's memory while an image is written, and makes a section from it. A restart then need not look.
#pragma once
#include <runtime/image/format/regions.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace mana::image {

/// Only build_on() may allocate, lock or throw: the other functions may run in a forked process.
class memory_observer {
 public:
  virtual ~memory_observer() = default;

  virtual std::string section_name() const = 0;      // at most 23 bytes
  /// Called first. Sets the image that unchanged() refers to.
  /// in: earlier  this section of that image; nothing: it has none
  virtual void build_on(std::optional<std::span<const std::uint8_t>> earlier) = 0;
  /// Sees the copy of memory at `address` that is written. The memory of a region comes in ascending order, perhaps
  /// without zeros.
  virtual void see(std::span<const std::uint64_t> copy, std::uintptr_t address, const region& of) noexcept = 0;
  /// These pages are the same as in the earlier image.
  virtual void unchanged(std::uintptr_t begin, std::uintptr_t end) noexcept = 0;
  /// Called when all memory was seen.     out: nothing: the image gets no such section
  virtual std::optional<std::span<const std::uint8_t>> bytes() const noexcept = 0;
};

}  // namespace mana::image
