#include <runtime/split/window/reservations.hpp>

#include <mana/lower/abi.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <atomic>

namespace mana::split {
namespace {

constexpr address_range anywhere{0, lower::window_end};
constinit window_map unreserved{anywhere};
constinit std::atomic<bool> is_unknown{false};      // the table was full

}  // namespace

void note_reservation(address_range r, bool is_unreserved) noexcept {
  if (!(is_unreserved ? unreserved.take(r) : unreserved.release(r))) is_unknown.store(true);
}

void copy_reservation(address_range from, address_range to) noexcept {
  if (from.bytes() == 0) return note_reservation(to, is_unreserved(from.begin));      // mremap of shared memory
  note_reservation(to, false);
  const std::uintptr_t end = from.begin + std::min(from.bytes(), to.bytes());
  for (std::uintptr_t at = from.begin; at < end;) {
    const address_range part = unreserved.next_taken({at, end});
    if (part.bytes() == 0) break;
    note_reservation({to.begin + (part.begin - from.begin), to.begin + (part.end - from.begin)}, true);
    at = part.end;
  }
  if (to.bytes() <= from.bytes()) return;
  note_reservation({to.begin + from.bytes(), to.end}, is_unreserved(from.end - page_bytes));
}

bool is_unreserved(std::uintptr_t at) noexcept {
  const std::uintptr_t page = page_floor(at);
  return is_unknown.load(std::memory_order_relaxed) || unreserved.touches({page, page + page_bytes});
}

int reservation_flag(std::uintptr_t at) noexcept { return is_unreserved(at) ? MAP_NORESERVE : 0; }

std::optional<std::vector<address_range>> unreserved_memory() {
  if (is_unknown.load()) return std::nullopt;
  std::vector<address_range> all;
  for (std::uintptr_t at = 0; at < anywhere.end;) {
    const address_range part = unreserved.next_taken({at, anywhere.end});
    if (part.bytes() == 0) break;
    all.push_back(part);
    at = part.end;
  }
  return all;
}

void set_unreserved_memory(const std::optional<std::vector<address_range>>& ranges) noexcept {
  is_unknown.store(false);
  unreserved.clear();
  if (!ranges) return note_reservation(anywhere, true);
  for (const address_range& r : *ranges) note_reservation(r, true);
}

void lock_reservations() noexcept { unreserved.lock(); }
void unlock_reservations() noexcept { unreserved.unlock(); }

}  // namespace mana::split
