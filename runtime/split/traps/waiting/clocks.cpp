// Calls that show a clock, or wait until a time of one, if the program's clocks have offsets (program_clocks.hpp).
#include <arch/stub_call.hpp>
#include <runtime/split/call/trap.hpp>
#include <runtime/split/traps/waiting/clocks.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/former_ids.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <mana/lower/program_clocks.hpp>

#include <sys/resource.h>
#include <sys/times.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace mana::split {
namespace {

constexpr int no_clock = CLOCK_REALTIME;      // one without an offset

timespec of_kernel(const timespec& deadline, int clock) noexcept {
  const lower::found_clock found = lower::program_clock_of(clock);
  const bool is_others = found.which == lower::program_clock::thread;      // of the thread that made the timer
  return found.is_moved && !is_others ? lower::kernel_deadline(deadline, lower::clock_offset(found.which)) : deadline;
}

struct timed_wait {
  int time;       // index of the argument with the deadline
  int clock;      // index of the argument with the clock's number; -1: monotonic
};

timed_wait wait_of(long number) noexcept {
  switch (number) {
    case SYS_clock_nanosleep: return {2, 0};
    case number_of_futex_waitv: return {3, 4};
    case number_of_futex_wait: return {4, 5};
    default: return {3, -1};                  // futex
  }
}

/// A file of /proc, read in pieces without an allocation: a trap may be in a child, and on a small stack.
class small_reader {
 public:
  explicit small_reader(const char* path) noexcept : fd_(raw_call(SYS_open, as_word(path), 0 /* O_RDONLY */)) {}
  ~small_reader() {
    if (!is_error(fd_)) raw_call(SYS_close, fd_);
  }
  small_reader(const small_reader&) = delete;
  small_reader& operator=(const small_reader&) = delete;

  /// out: the next character; -1 at the end
  int next() noexcept {
    if (at_ == size_) {
      size_ = is_error(fd_) ? 0 : raw_call(SYS_read, fd_, as_word(buffer_), sizeof buffer_);
      at_ = 0;
      if (size_ <= 0) {
        size_ = 0;
        return -1;
      }
    }
    return buffer_[at_++];
  }

 private:
  long fd_;
  long at_ = 0, size_ = 0;
  char buffer_[256];
};

/// The number after "NAME: " at the beginning of a line. Reads to the line's end.
/// out: false if the file ended before such a line
bool number_after(small_reader& file, const char* name, int& number) noexcept {
  for (int c = '\n'; c >= 0;) {
    const char* wanted = name;
    while ((c = file.next()) >= 0 && *wanted != '\0' && c == *wanted) ++wanted;
    const bool found = *wanted == '\0';
    bool negative = false;
    for (number = 0; c >= 0 && c != '\n'; c = file.next()) {
      if (c == '-') negative = true;
      if (c >= '0' && c <= '9') number = number * 10 + (c - '0');
    }
    if (negative) number = -number;
    if (found) return true;
  }
  return false;
}

/// The clock of the timer with this descriptor; no_clock: it is no timer.
int clock_of_descriptor(long fd) noexcept {
  char path[40] = "/proc/self/fdinfo/";
  char digits[12];
  char *end = path + 18, *last = digits;
  if (fd < 0 || fd > INT32_MAX) return no_clock;
  do *last++ = static_cast<char>('0' + fd % 10);
  while ((fd /= 10) != 0);
  while (last != digits) *end++ = *--last;
  small_reader file(path);
  int clock = no_clock;
  return number_after(file, "clockid:", clock) ? clock : no_clock;
}

/// The clock of a timer from timer_create; no_clock: the kernel lists none.
int clock_of_timer(int id) noexcept {
  small_reader file("/proc/self/timers");
  int found = -1, clock = no_clock;
  while (number_after(file, "ID:", found))
    if (found == id) return number_after(file, "ClockID:", clock) ? clock : no_clock;
  return no_clock;
}

struct shown_clock {
  int kernels;                  // the kernel's number of the clock
  std::int64_t offset;          // ns that the program's clock is ahead
};

/// The processor time of a thread or process. The number of such a clock is the complement of the id, above three bits.
/// The bits say whether it is a thread's, and the kind of time. See clock_getcpuclockid(3), and MAKE_PROCESS_CPUCLOCK
/// of Linux.
shown_clock shown_by_id(int clock) noexcept {
  constexpr int bits = 7, of_thread = 4, counted = 3, scheduled = 2, descriptor = 3;
  if ((clock & counted) == descriptor) return {clock, 0};
  const std::int32_t id = current_id(~(clock >> 3));
  const int kernels = static_cast<int>(~static_cast<unsigned>(id) << 3) | (clock & bits);
  if ((clock & counted) != scheduled) return {kernels, 0};
  if ((clock & of_thread) == 0)
    return {kernels, id == raw_call(SYS_getpid) ? lower::clock_offset(lower::program_clock::process) : 0};
  for (std::uint32_t i = 0; i < lower::max_threads; ++i)
    if (const lower::thread_block& block = lower::thread_blocks()[i]; block.tid == id)
      return {kernels, block.time_ahead.ns};
  return {kernels, 0};
}

shown_clock shown_by(int clock) noexcept {
  const lower::found_clock found = lower::program_clock_of(clock);
  if (found.is_moved) return {clock, lower::clock_offset(found.which)};
  return clock < 0 ? shown_by_id(clock) : shown_clock{clock, 0};
}

}  // namespace

int kernels_clock(int clock) noexcept { return shown_by(clock).kernels; }

/// clock_gettime(clock, time)
long trap_clock_gettime(trap& t) {
  const shown_clock shown = shown_by(static_cast<int>(t.arg(0)));
  timespec now{};
  const long result = raw_call(SYS_clock_gettime, shown.kernels, as_word(&now));
  if (is_error(result)) return result;
  return t.pointer<timespec>(1).put(lower::moved(now, shown.offset));
}

/// clock_nanosleep(clock, TIMER_ABSTIME, …), futex(…), futex_waitv(…), futex_wait(…) with a deadline
long trap_timed_wait(trap& t) {
  const timed_wait wait = wait_of(t.number);
  timespec deadline{};
  const bool is_there = t.pointer<const timespec>(wait.time).get(deadline) == 0;
  const auto frame = static_cast<long>(stub_frame(t));
  const long number = continue_in_timed_call(t);
  in_frame<timespec>(frame, STUB_CALL_PAIR) =
      of_kernel(deadline, wait.clock < 0 ? CLOCK_MONOTONIC : static_cast<int>(t.arg(wait.clock)));
  t.set_arg(wait.time, is_there ? frame + STUB_CALL_PAIR : untouchable);
  return number;
}

/// timerfd_settime(fd, TFD_TIMER_ABSTIME, new, old), timer_settime(id, TIMER_ABSTIME, new, old). 0 disarms.
long trap_timer_settime(trap& t) {
  itimerspec wanted{};
  if (t.arg(2) == 0) return t.carry_out();
  if (t.pointer<const itimerspec>(2).get(wanted) != 0)
    return raw_call(t.number, t.arg(0), t.arg(1), untouchable, t.arg(3));
  const bool disarms = wanted.it_value.tv_sec == 0 && wanted.it_value.tv_nsec == 0;
  const int clock = disarms                             ? no_clock
                    : t.number == SYS_timerfd_settime ? clock_of_descriptor(static_cast<int>(t.arg(0)))
                                                        : clock_of_timer(static_cast<int>(t.arg(0)));
  wanted.it_value = of_kernel(wanted.it_value, clock);
  return raw_call(t.number, t.arg(0), t.arg(1), as_word(&wanted), t.arg(3));
}

namespace {

struct processor_time { std::int64_t user_us, system_us; };

/// The program's processor time minus the kernel's.
processor_time parts_of(const lower::processor_time& ahead) noexcept {
  return {ahead.ns / 1000 - ahead.system_us, ahead.system_us};
}
processor_time of_children() noexcept { return {saved().children_ahead[0], saved().children_ahead[1]}; }
processor_time of_process() noexcept { return parts_of(lower::the_bridge().process_ahead); }

/// The kernel estimates the two parts by samples: a sum may be negative for a moment.
void add(timeval& to, std::int64_t us) noexcept {
  constexpr std::int64_t second = 1'000'000;
  const std::int64_t sum = std::max<std::int64_t>(to.tv_sec * second + to.tv_usec + us, 0);
  to = {sum / second, sum % second};
}

}  // namespace

/// times(used): the result counts from the boot. It writes processor time, in whole ticks of each sum.
long trap_times(trap& t) {
  constexpr std::int64_t second_ticks = 100, tick_us = 10'000;
  tms used{};
  const long result = raw_call(SYS_times, as_word(&used));
  if (const auto wanted = t.pointer<tms>(0); !wanted.is_null()) {
    rusage usage{};
    raw_call(SYS_getrusage, RUSAGE_SELF, as_word(&usage));
    add(usage.ru_utime, of_process().user_us);
    add(usage.ru_stime, of_process().system_us);
    const auto ticks = [](const timeval& time) { return time.tv_sec * second_ticks + time.tv_usec / tick_us; };
    used.tms_utime = ticks(usage.ru_utime);
    used.tms_stime = ticks(usage.ru_stime);
    raw_call(SYS_getrusage, RUSAGE_CHILDREN, as_word(&usage));
    add(usage.ru_utime, of_children().user_us);
    add(usage.ru_stime, of_children().system_us);
    used.tms_cutime = ticks(usage.ru_utime);
    used.tms_cstime = ticks(usage.ru_stime);
    if (wanted.put(used) != 0) return -EFAULT;
  }
  return result + lower::the_bridge().ticks_offset;
}

/// getrusage(RUSAGE_SELF, RUSAGE_THREAD or RUSAGE_CHILDREN, usage)
long trap_getrusage(trap& t) {
  rusage usage{};
  const long result = raw_call(SYS_getrusage, t.arg(0), as_word(&usage));
  if (is_error(result)) return result;
  const int who = static_cast<int>(t.arg(0));
  const processor_time more = who == RUSAGE_THREAD     ? parts_of(t.self->time_ahead)
                              : who == RUSAGE_CHILDREN ? of_children()
                                                       : of_process();
  add(usage.ru_utime, more.user_us);
  add(usage.ru_stime, more.system_us);
  return t.pointer<rusage>(1).put(usage);
}

}  // namespace mana::split
