#include "input.hpp"
#include "stub_call.hpp"

#include "../loader/bridge.hpp"

#include <poll.h>

namespace mana::split {
namespace {

constinit bool counting = false;
constinit std::atomic<std::uint64_t> bytes_read{0};

bool is_ready(long fd) noexcept {
  pollfd asked{static_cast<int>(fd), POLLIN, 0};
  return raw_call(SYS_poll, as_word(&asked), 1, 0) > 0;
}

}  // namespace

void count_input(bool counts, std::uint64_t already) noexcept {
  counting = counts;
  bytes_read.store(already, std::memory_order_relaxed);
}

bool counts_input() noexcept { return counting; }
std::uint64_t input_read() noexcept { return bytes_read.load(std::memory_order_relaxed); }

void note_input(const trap& t, long bytes) noexcept {
  if (bytes > 0 && t.role == process_role::owner)
    bytes_read.fetch_add(static_cast<std::uint64_t>(bytes), std::memory_order_relaxed);
}

/// read(0, …), readv(0, …): by the stub if it may wait.
long trap_input(trap& t) {
  if (t.role != process_role::owner) return continue_in_stub(t, stub().call);
  if (!is_ready(t.arg(0))) return continue_in_stub(t, stub().reported_call);
  const long bytes = t.carry_out();
  note_input(t, bytes);
  return bytes;
}

}  // namespace mana::split
