#include <runtime/job/sections/locks.hpp>

#include <runtime/job/sections/sections.hpp>
#include <runtime/job/start_failure.hpp>

#include <runtime/image/read/rank_image.hpp>
#include <runtime/split/window/upper_half.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

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

namespace {

bool holds(const image::region& r, std::uintptr_t address) noexcept {
  constexpr std::size_t most_bytes_of_a_lock = 56;
  return (r.protection & PROT_WRITE) != 0 && r.begin <= address && address + most_bytes_of_a_lock <= r.end;
}

}  // namespace

void restore_locks(const read_section& from, restored_parts& parts) {
  if (!from.bytes) return;
  const image::rank_image& own = from.image;
  try {
    std::vector<split::held_lock> locks = split::decode_locks(*from.bytes);
    for (const split::held_lock& l : locks)
      if (std::none_of(own.regions().begin(), own.regions().end(), [&](auto& r) { return holds(r, l.address); }))
        throw std::runtime_error("the section \"locks\" names memory that does not exist");
    parts.locks = std::move(locks);
  } catch (const std::runtime_error& error) {
    throw start_failure(exit_status::checkpoint_damaged, own.path() + ": " + error.what());
  }
}

}  // namespace mana::job
