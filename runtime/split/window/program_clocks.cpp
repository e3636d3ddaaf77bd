#include <runtime/split/window/program_clocks.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/raw.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <fcntl.h>
#include <sys/resource.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace mana::split {
namespace {

constexpr std::array ids{CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME};
static_assert(ids.size() == lower::boot_clocks);

std::int64_t kernels(int clock) noexcept {
  timespec t{};
  raw_call(SYS_clock_gettime, clock, as_word(&t));
  return t.tv_sec * lower::ns_per_second + t.tv_nsec;
}

std::int64_t kernels_ticks() noexcept { return raw_call(SYS_times, 0); }

std::int64_t& offset(unsigned i) noexcept { return lower::the_bridge().clock_offsets[i]; }
std::int64_t& ticks_offset() noexcept { return lower::the_bridge().ticks_offset; }

/// A coarse clock is up to a tick behind its fine one, and may have been closer to it at the line.
std::int64_t coarse_tick() noexcept {
  timespec t{};
  raw_call(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, as_word(&t));
  return t.tv_nsec;
}

using lower::processor_time;

processor_time used_by(int clock, int who) noexcept {
  rusage usage{};
  raw_call(SYS_getrusage, who, as_word(&usage));
  return {kernels(clock), usage.ru_stime.tv_sec * 1'000'000 + usage.ru_stime.tv_usec};
}
processor_time used_by_process() noexcept { return used_by(CLOCK_PROCESS_CPUTIME_ID, RUSAGE_SELF); }
processor_time used_by_thread() noexcept { return used_by(CLOCK_THREAD_CPUTIME_ID, RUSAGE_THREAD); }

struct childrens_time { std::int64_t us[2]; };     // user, system

childrens_time used_by_children() noexcept {
  rusage usage{};
  raw_call(SYS_getrusage, RUSAGE_CHILDREN, as_word(&usage));
  const auto us = [](const timeval& t) { return t.tv_sec * 1'000'000 + t.tv_usec; };
  return {{us(usage.ru_utime), us(usage.ru_stime)}};
}

processor_time& process_offset() noexcept { return lower::the_bridge().process_ahead; }

processor_time sum(const processor_time& a, const processor_time& b) noexcept {
  return {a.ns + b.ns, a.system_us + b.system_us};
}
processor_time difference(const processor_time& a, const processor_time& b) noexcept {
  return {a.ns - b.ns, a.system_us - b.system_us};
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
  line.process_used[0] = kernels(CLOCK_PROCESS_CPUTIME_ID) + std::abs(seconds) * lower::ns_per_second;
  continue_clocks(clocks_to_continue().least);
}

bool has_moved_clocks() noexcept { return saved().clocks.known != 0; }

void note_clocks() noexcept {
  saved_clocks& line = saved().clocks;
  line.known = stub().program_clock_gettime != 0 ? 1 : 0;      // a program that an older version started has none
  for (unsigned i = 0; i < ids.size(); ++i) line.shown[i] = kernels(ids[i]) + offset(i);
  line.ticks = kernels_ticks() + ticks_offset();
  line.kernel = clocks_of_kernel();
  const processor_time used = sum(used_by_process(), process_offset());
  line.process_used[0] = used.ns;
  line.process_used[1] = used.system_us;
  const childrens_time children = used_by_children();
  for (int i : {0, 1}) saved().children_used[i] = children.us[i] + saved().children_ahead[i];
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
  const saved_clocks& line = saved().clocks;
  process_offset() = difference({line.process_used[0], line.process_used[1]}, used_by_process());
  const childrens_time children = used_by_children();
  for (int i : {0, 1}) saved().children_ahead[i] = saved().children_used[i] - children.us[i];
  lower::bridge& b = lower::the_bridge();
  b.clock_gettime = reinterpret_cast<lower::clock_function>(b.vdso[0]);
  b.vdso[0] = stub().program_clock_gettime;
}

void note_thread_time(lower::thread_block& self) noexcept {
  self.time_used = sum(used_by_thread(), self.time_ahead);
}

void continue_thread_time(lower::thread_block& self) noexcept {
  const bool known = saved().clocks.known != 0;
  const processor_time then = known ? self.time_used : used_by_thread();
  self.time_ahead = difference(then, used_by_thread());
}

void forget_processor_time(lower::thread_block& self) noexcept {
  process_offset() = {};
  saved().children_ahead[0] = saved().children_ahead[1] = 0;
  self.time_ahead = {};
}

timespec left_since_line(const timespec& then, int clock) noexcept {
  const lower::found_clock found = lower::program_clock_of(clock);
  const saved_clocks& line = saved().clocks;
  const auto i = static_cast<unsigned>(found.which);
  const bool stands = then.tv_sec == 0 && then.tv_nsec == 0;
  if (!found.is_moved || i >= ids.size() || line.known == 0 || stands) return then;
  return lower::kernel_deadline(then, kernels(ids[i]) + offset(i) - line.shown[i]);
}

}  // namespace mana::split
