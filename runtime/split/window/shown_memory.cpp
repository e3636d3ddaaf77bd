#include <runtime/split/window/shown_memory.hpp>

#include <mana/lower/abi.hpp>

#include <atomic>

namespace mana::split {
namespace {

constexpr address_range anywhere{0, lower::window_end};
constinit window_map shown{anywhere};
constinit std::atomic<bool> some_is_shown{false};

/// Of files that win/words.hpp makes by shm_open.
constexpr std::string_view begin_of_words = "/dev/shm/mana-words-";

}  // namespace

void note_shown(address_range r) noexcept {
  shown.take(r);
  some_is_shown.store(true);
}

void forget_shown(address_range r) noexcept {
  if (some_is_shown.load(std::memory_order_relaxed)) shown.release(r);
}

bool is_own_in_images(address_range r, std::string_view path) noexcept {
  return path.starts_with(begin_of_words) || shown.touches(r);
}

}  // namespace mana::split
