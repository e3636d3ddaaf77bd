#include <runtime/job/sections/locks.hpp>

#include <runtime/split/window/upper_half.hpp>

#include <cstring>

namespace mana::job {

lock_section::lock_section() : recorder_(split::thread_ids()) {}

void lock_section::build_on(std::optional<std::span<const std::uint8_t>> earlier) {
  is_known_ = earlier.has_value();
  if (!is_known_) return;
  std::vector<split::lock_recorder::record> records(earlier->size() / sizeof(split::lock_recorder::record));
  if (!records.empty()) std::memcpy(records.data(), earlier->data(), records.size() * sizeof records[0]);
  recorder_.build_on(std::move(records));
}

void lock_section::see(std::span<const std::uint64_t> copy, std::uintptr_t address, const image::region& of) noexcept {
  recorder_.look(copy, address, {of.begin, of.end});
}

void lock_section::unchanged(std::uintptr_t begin, std::uintptr_t end) noexcept { recorder_.unchanged({begin, end}); }

std::optional<std::span<const std::uint8_t>> lock_section::bytes() const noexcept {
  if (!is_known_ || !recorder_.is_complete()) return std::nullopt;
  const auto found = recorder_.found();
  return std::span(reinterpret_cast<const std::uint8_t*>(found.data()), found.size_bytes());
}

}  // namespace mana::job
