// The section "locks": the locks that the program's threads hold, found while the memory is written.
#pragma once
#include <mana/image/section_table.hpp>

#include <runtime/image/memory/memory_observer.hpp>
#include <runtime/split/window/lock_owners.hpp>

namespace mana::job {

/// The part of an image that saver_of_job() keeps, for the lock_section of the next image.
inline constexpr const char* observed_section = image::sections::locks;

/// Covers this process's threads as they are now.
class lock_section : public image::memory_observer {
 public:
  lock_section();
  std::string section_name() const override { return observed_section; }
  void build_on(std::optional<std::span<const std::uint8_t>> earlier) override;
  void see(std::span<const std::uint64_t> copy, std::uintptr_t address, const image::region& of) noexcept override;
  void unchanged(std::uintptr_t begin, std::uintptr_t end) noexcept override;
  std::optional<std::span<const std::uint8_t>> bytes() const noexcept override;

 private:
  split::lock_recorder recorder_;
  bool is_known_ = true;     // false: this image builds on one whose locks are not known
};

}  // namespace mana::job
