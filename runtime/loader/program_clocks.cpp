#include "program_clocks.hpp"

#include "bridge.hpp"
#include "raw.hpp"
#include "saved_state.hpp"

#include <fcntl.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace mana::split {
namespace {

constexpr std::array ids{CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME};
static_assert(ids.size() == lower::program_clocks);

std::int64_t kernels(int clock) noexcept {
  timespec t{};
  raw_call(SYS_clock_gettime, clock, as_word(&t));
  return t.tv_sec * lower::ns_per_second + t.tv_nsec;
}

std::int64_t kernels_ticks() noexcept { return raw_call(SYS_times, 0); }

std::int64_t& offset(unsigned i) noexcept {
  return reinterpret_cast<std::int64_t&>(lower::the_bridge().reserved[lower::slot_clock_offsets + i]);
}
std::int64_t& ticks_offset() noexcept {
  return reinterpret_cast<std::int64_t&>(lower::the_bridge().reserved[lower::slot_ticks_offset]);
}

/// A coarse clock stands up to a tick behind its fine one, and may have stood closer to it at the line.
std::int64_t coarse_tick() noexcept {
  timespec t{};
  raw_call(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, as_word(&t));
  return t.tv_nsec;
}

void mix(std::uint64_t& hash, const char* text) noexcept {
  for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3;      // FNV-1a
}

/// Processes of one boot and one time namespace read the same clocks.
std::uint64_t clocks_of_kernel() noexcept {
  char name[64] = "";
  std::uint64_t hash = 0xcbf29ce484222325;
  const long fd = raw_call(SYS_open, as_word("/proc/sys/kernel/random/boot_id"), O_RDONLY | O_CLOEXEC);
  if (!is_error(fd)) {
    raw_call(SYS_read, fd, as_word(name), sizeof name - 1);
    raw_call(SYS_close, fd);
  }
  mix(hash, name);
  const long size = raw_call(SYS_readlink, as_word("/proc/self/ns/time"), as_word(name), sizeof name - 1);
  name[is_error(size) ? 0 : size] = '\0';
  mix(hash, name);
  return hash;
}

}  // namespace

void begin_clocks() noexcept {
  const char* const text = std::getenv("MANA_CLOCKS_AHEAD");
  long seconds = 0;
  if (text == nullptr || std::from_chars(text, text + std::strlen(text), seconds).ec != std::errc()) return;
  saved_clocks& line = saved().clocks;
  line.known = 1;
  for (unsigned i = 0; i < ids.size(); ++i) line.shown[i] = kernels(ids[i]) + seconds * lower::ns_per_second;
  line.ticks = kernels_ticks() + seconds * 100;
  continue_clocks(clocks_to_continue().least);
}

bool has_moved_clocks() noexcept { return saved().clocks.known != 0; }

void note_clocks() noexcept {
  saved_clocks& line = saved().clocks;
  line.known = stub().program_clock_gettime != 0 ? 1 : 0;      // a program that an older version started has none
  for (unsigned i = 0; i < ids.size(); ++i) line.shown[i] = kernels(ids[i]) + offset(i);
  line.ticks = kernels_ticks() + ticks_offset();
  line.kernel = clocks_of_kernel();
}

continued_clocks clocks_to_continue() noexcept {
  const saved_clocks& line = saved().clocks;
  if (line.known == 0) return {};
  continued_clocks all{1, line.kernel, clocks_of_kernel(), {}};
  const std::int64_t tick = coarse_tick();
  for (unsigned i = 0; i < ids.size(); ++i) all.least.clocks[i] = line.shown[i] + tick - kernels(ids[i]);
  all.least.ticks = line.ticks - kernels_ticks();
  return all;
}

void continue_clocks(const clock_offsets& offsets) noexcept {
  for (unsigned i = 0; i < ids.size(); ++i) offset(i) = offsets.clocks[i];
  ticks_offset() = offsets.ticks;
  lower::bridge& b = lower::the_bridge();
  b.reserved[lower::slot_clock_gettime] = b.vdso[0];
  b.vdso[0] = stub().program_clock_gettime;
}

timespec left_since_line(const timespec& then, int clock) noexcept {
  const lower::found_clock found = lower::program_clock_of(clock);
  const saved_clocks& line = saved().clocks;
  if (!found.is_moved || line.known == 0 || (then.tv_sec == 0 && then.tv_nsec == 0)) return then;
  const auto i = static_cast<unsigned>(found.which);
  return lower::kernel_deadline(then, kernels(ids[i]) + offset(i) - line.shown[i]);
}

}  // namespace mana::split
