// Makes a section of what is seen in the program's memory while an image is written, so that a restart need not look there.
#pragma once
#include <runtime/image/format/regions.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace mana::image {

/// Only build_on() may allocate, lock or throw: the rest may run in a process that was forked off.
class memory_observer {
 public:
  virtual ~memory_observer() = default;

  virtual std::string section_name() const = 0;      // at most 23 bytes
  /// Before all others: what unchanged() speaks of.     earlier: this section of the image before; nothing: it has none
  virtual void build_on(std::optional<std::span<const std::uint8_t>> earlier) = 0;
  /// The copy of memory at `address` that is written. Of a region, the memory comes in ascending order; zeros may be left out.
  virtual void see(std::span<const std::uint64_t> copy, std::uintptr_t address, const region& of) noexcept = 0;
  /// The image before has these pages as they are.
  virtual void unchanged(std::uintptr_t begin, std::uintptr_t end) noexcept = 0;
  /// When all was seen. Nothing: the image gets no such section.
  virtual std::optional<std::span<const std::uint8_t>> bytes() const noexcept = 0;
};

}  // namespace mana::image
