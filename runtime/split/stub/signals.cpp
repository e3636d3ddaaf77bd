// The handlers that the kernel calls for the upper half's signals. They may interrupt a thread in either half, or a
// thread that exists in the lower half only. They enter the upper half before application code runs.
//
// Freestanding. Usable: the bridge, the thread's block, raw system calls. Not: libc, thread-local storage, relocations.
#include <runtime/split/stub/entry.hpp>

#include <arch/registers.hpp>
#include <runtime/split/window/layout.h>

#include <runtime/split/window/held_signals.hpp>

#include <mana/lower/abi.hpp>
#include <mana/lower/signals.hpp>

#include <csignal>
#include <ctime>
#include <sys/syscall.h>
#include <sys/ucontext.h>

// Addresses relative to this code: the stub has no relocations.
#define STUB_SYMBOL(name) extern "C" [[gnu::visibility("hidden")]] const char name[]
STUB_SYMBOL(stub_vdso_again) __asm__("mana_vdso_again");
STUB_SYMBOL(stub_call_made) __asm__("mana_call_made");
STUB_SYMBOL(stub_reported_call_made) __asm__("mana_reported_call_made");
STUB_SYMBOL(stub_wait) __asm__("mana_wait");
STUB_SYMBOL(stub_wait_made) __asm__("mana_wait_made");
STUB_SYMBOL(stub_timed_call) __asm__("mana_timed_call_entry");
STUB_SYMBOL(stub_timed_call_made) __asm__("mana_timed_call_made");
STUB_SYMBOL(stub_clock_begin) __asm__("mana_clock_begin");
STUB_SYMBOL(stub_clock_end) __asm__("mana_clock_end");

namespace {

namespace arch = mana::arch;
using mana::lower::thread_block;

long call(long number, long a, long b, long c, long d = 0) noexcept { return mana::arch::raw_call(number, a, b, c, d); }

bool by_instruction() noexcept { return mana::lower::the_bridge().has_fsgsbase != 0; }
std::uint64_t thread_pointer() noexcept { return mana::arch::read_thread_pointer(by_instruction()); }
void set_thread_pointer(std::uint64_t value) noexcept { mana::arch::write_thread_pointer(value, by_instruction()); }
thread_block* own_block() noexcept { return reinterpret_cast<thread_block*>(mana::arch::read_block_register(by_instruction())); }

bool in_window(std::uint64_t address) noexcept {
  return address >= mana::lower::window_begin && address < mana::lower::window_end;
}

enum class place { upper, lower, foreign };

/// foreign: a thread that exists in the lower half only; it has no block, or inherited its creator's.
place where(const thread_block* self, std::uint64_t fs) noexcept {
  if (self == nullptr) return place::foreign;
  if (fs == self->lower_fs) return place::lower;
  return in_window(fs) || fs == 0 ? place::upper : place::foreign;
}

/// INV-64 no saved signal frame holds an address outside the window: an interrupted call inside the live vDSO is made
/// again from its frame. INV-60: nor does it hold a time of this kernel's clock, to which another process would add its
/// offset.
void rewind_vdso(const thread_block& self, void* context) noexcept {
  auto* const regs = arch::registers(*static_cast<ucontext_t*>(context));
  const auto& vdso = mana::lower::the_bridge().vdso;
  const auto rip = static_cast<std::uint64_t>(regs[arch::instruction]);
  const bool in_live = rip >= vdso[STUB_VDSO_BEGIN_SLOT] && rip < vdso[STUB_VDSO_END_SLOT];
  const auto at = reinterpret_cast<const char*>(rip);
  if (!in_live && (at < stub_clock_begin || at >= stub_clock_end)) return;
  regs[arch::stack] = static_cast<arch::register_word>(self.vdso_frame);
  regs[arch::instruction] = reinterpret_cast<arch::register_word>(stub_vdso_again);
}

/// Goes back from the stub's call in this frame to the program's own, which is then made again.
void go_back_to_call(arch::register_word* regs) noexcept {
  const auto word = [frame = regs[arch::stack]](unsigned offset) {
    return *reinterpret_cast<const arch::register_word*>(frame + offset);
  };
  regs[arch::result] = word(STUB_CALL_NUMBER);
  regs[arch::argument[1]] = word(STUB_TIMED_RSI);
  regs[arch::argument[2]] = word(STUB_TIMED_RDX);
  regs[arch::argument[0]] = word(STUB_CALL_RDI);
  regs[arch::argument[4]] = word(STUB_CALL_R8);
  regs[arch::argument[5]] = word(STUB_CALL_R9);
  regs[arch::argument[3]] = word(STUB_CALL_R10);
  regs[arch::instruction] = word(STUB_CALL_RETURN) - arch::call_bytes;
  regs[arch::stack] += STUB_CALL_BYTES;
}

/// No saved signal frame waits until a time of this kernel's clock (INV-60), or names a thread by its id in this
/// process (INV-77). A frame at the call will make the call; a frame behind it has the result.
void rewind_timed_call(void* context) noexcept {
  auto* const regs = arch::registers(*static_cast<ucontext_t*>(context));
  if (reinterpret_cast<const char*>(regs[arch::instruction]) == stub_timed_call) go_back_to_call(regs);
}

/// Calls that the kernel ends with EINTR even under SA_RESTART.
bool is_never_restarted(long number) noexcept {
  switch (number) {
    case SYS_nanosleep: case SYS_clock_nanosleep: case SYS_poll: case SYS_ppoll: case SYS_select: case SYS_pselect6:
    case SYS_epoll_wait: case SYS_epoll_pwait: case SYS_epoll_pwait2: case SYS_futex: case SYS_semop: case SYS_semtimedop:
    case SYS_msgsnd: case SYS_msgrcv: case SYS_rt_sigtimedwait: case SYS_pause: case SYS_io_getevents: case SYS_io_pgetevents: return true;
    default: return false;
  }
}

/// Number of the system call that ended at `rip`; -1: unknown. The stub's number is in its frame, another call's in the
/// instructions before (arch::number_of_call_before).
long interrupted_call(const arch::register_word* regs) noexcept {
  const auto rip = reinterpret_cast<const char*>(regs[arch::instruction]);
  if (rip == stub_call_made || rip == stub_reported_call_made || rip == stub_timed_call_made)
    return *reinterpret_cast<const long*>(regs[arch::stack] + STUB_CALL_NUMBER);
  if (rip == stub_wait_made) return *reinterpret_cast<const long*>(regs[arch::stack] + STUB_WAIT_NUMBER);
  const long number = arch::number_of_call_before(reinterpret_cast<const unsigned char*>(rip));
  return is_never_restarted(number) ? number : -1;
}

std::uint64_t& mask_of(void* context) noexcept {
  return *reinterpret_cast<std::uint64_t*>(&static_cast<ucontext_t*>(context)->uc_sigmask);
}

/// Whether a signal that the program handles will arrive as soon as this handler returns.
bool is_one_of_the_programs_due(void* context) noexcept {
  std::uint64_t pending = 0;
  call(SYS_rt_sigpending, reinterpret_cast<long>(&pending), sizeof pending, 0);
  pending &= ~(mask_of(context) | mana::lower::the_bridge().our_signals);
  for (int signal = 1; signal <= 64; ++signal)
    if ((pending >> (signal - 1) & 1) != 0 && mana::lower::the_bridge().signal_handlers[signal] > 1) return true;
  return false;
}

/// INV-14: mana may have had other signals when the image was made. Unblocks the present ones in the frame.
void unblock_ours(void* context) noexcept {
  mask_of(context) &= ~mana::lower::the_bridge().our_signals;
}

/// A wait whose whole time would begin again if the same call were made again.
struct relative_wait {
  long number;      // of the call that mana_wait makes for it
  timespec left;    // of the time, as far as the kernel said
};

/// out: false if the call has no such time, or the kernel updates the time itself
bool is_relative_wait(long number, const arch::register_word* regs, relative_wait& wait) noexcept {
  const auto sleep = [&](arch::register_word requested, arch::register_word rest) {
    if (requested == rest) return false;      // the kernel wrote the remaining time over it
    wait = {number, *reinterpret_cast<const timespec*>(rest != 0 ? rest : requested)};
    return true;
  };
  switch (number) {
    case SYS_nanosleep: return sleep(regs[arch::argument[0]], regs[arch::argument[1]]);
    case SYS_clock_nanosleep:
      return (regs[arch::argument[1]] & TIMER_ABSTIME) == 0 && sleep(regs[arch::argument[2]], regs[arch::argument[3]]);
    case SYS_poll: {
      const auto milliseconds = static_cast<std::int32_t>(regs[arch::argument[2]]);
      wait = {SYS_ppoll, {milliseconds / 1000, milliseconds % 1000 * 1'000'000L}};
      return milliseconds > 0;
    }
    default: return false;
  }
}

/// mana's signals do not exist natively, and must not end a call. The call is made again with the same arguments,
/// except the remaining time. It ends if a signal of the program is due as well: that would have ended the call
/// natively, too.
void repeat_call(void* context) noexcept {
  auto* const regs = arch::registers(*static_cast<ucontext_t*>(context));
  if (regs[arch::result] != -4 /* EINTR */ || is_one_of_the_programs_due(context)) return;
  const long number = interrupted_call(regs);
  if (number < 0) return;
  if (reinterpret_cast<const char*>(regs[arch::instruction]) == stub_timed_call_made) return go_back_to_call(regs);
  relative_wait wait{};
  const bool in_stub = reinterpret_cast<const char*>(regs[arch::instruction]) == stub_wait_made;
  constexpr time_t longest = time_t{1} << 32;     // s; fits beside the nanoseconds
  if (in_stub || !is_relative_wait(number, regs, wait) || wait.left.tv_sec > longest) {
    regs[arch::result] = number;
    regs[arch::instruction] -= arch::call_bytes;
    return;
  }
  regs[arch::result] = wait.number;
  regs[arch::spoiled_by_call[0]] = regs[arch::instruction];
  regs[arch::spoiled_by_call[1]] = wait.left.tv_sec << STUB_WAIT_SECONDS_SHIFT | wait.left.tv_nsec;
  regs[arch::instruction] = reinterpret_cast<arch::register_word>(stub_wait);
}

/// A thread of the lower half got a signal to the process: passes it to an upper one. The lower thread's own fault ends
/// the process.
void pass_on(int signal, siginfo_t* info) noexcept {
  const bool fault = info->si_code > 0 && (signal == SIGSEGV || signal == SIGBUS || signal == SIGILL ||
                                           signal == SIGFPE || signal == SIGTRAP);
  if (fault) {
    const struct { std::uint64_t handler, flags, restorer, mask; } standard = {0, 0, 0, 0};
    call(SYS_rt_sigaction, signal, reinterpret_cast<long>(&standard), 0, 8);
    return;
  }
  const long process = call(SYS_getpid, 0, 0, 0);
  const thread_block& to = mana::lower::thread_blocks()[mana::lower::the_bridge().main_thread];
  call(SYS_rt_tgsigqueueinfo, process, to.tid, signal, reinterpret_cast<long>(info));
}

using handler_type = void (*)(int, siginfo_t*, void*);

/// INV-66: Somebody outside wants the program to end, and the program ends in its own way. A checkpoint that holds any
/// of its threads is given up. Signals among the program's threads, or from its timers, do not count.
void tell_of_end(int signal, const siginfo_t* info) noexcept {
  mana::lower::bridge& bridge = mana::lower::the_bridge();
  const bool from_outside = info->si_code == SI_USER || info->si_code == SI_KERNEL || info->si_code == SI_QUEUE;
  if (!from_outside || (bridge.end_signals >> (signal - 1) & 1) == 0) return;
  if (info->si_code != SI_KERNEL && info->si_pid == call(SYS_getpid, 0, 0, 0)) return;
  __atomic_store_n(&bridge.last_end_signal, static_cast<std::uint64_t>(signal), __ATOMIC_RELAXED);
  const std::uint64_t amount = mana::lower::told_to_end_amount;
  call(SYS_write, bridge.requests, reinterpret_cast<long>(&amount), sizeof amount);
}

/// INV-71: before a handler of the program runs. Its frame says whether SIGSYS was blocked, and SIGSYS is blocked as
/// the handler wants.
void enter_mask(thread_block& self, int signal, void* context) noexcept {
  std::uint32_t& blocks = mana::split::blocks_sigsys(self);
  if (blocks != 0) mask_of(context) |= mana::split::sigsys_set;
  const bool itself = signal == SIGSYS && (mana::lower::the_bridge().signal_flags[signal] & SA_NODEFER) == 0;
  if (itself || (mana::split::saved().signal_masks[signal] & mana::split::sigsys_set) != 0) blocks = 1;
}

/// The mask that the handler has left in its frame applies.
void leave_mask(thread_block& self, void* context) noexcept {
  const bool blocks = (mask_of(context) & mana::split::sigsys_set) != 0;
  mana::split::blocks_sigsys(self) = blocks ? 1 : 0;
  unblock_ours(context);
  if (blocks || !mana::split::has_held_sigsys(self)) return;
  const std::uint64_t all = ~std::uint64_t{0};                     // until the frame's mask applies
  call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&all), 0, sizeof all);
  mana::split::release_held_sigsys(self);
}

bool is_parked(const thread_block& thread) noexcept {
  return thread.state.load(std::memory_order_relaxed) == mana::lower::thread_state::parked;
}

/// A parked thread has blocked the signals that the program handled when the thread parked. Signals that it handles
/// since then wait as well: the image would have a handler that is half done.
/// out: false if the signal cannot wait: the kernel has forgotten the handler
bool wait_for_end_of_checkpoint(const thread_block& self, int signal, siginfo_t* info, void* context) noexcept {
  if ((mana::lower::the_bridge().signal_flags[signal] & SA_RESETHAND) != 0) return false;
  mask_of(context) |= std::uint64_t{1} << (signal - 1);
  return call(SYS_rt_tgsigqueueinfo, call(SYS_getpid, 0, 0, 0), self.tid, signal, reinterpret_cast<long>(info)) == 0;
}

/// Runs a handler of the program in the upper half.
void run(handler_type handler, int signal, siginfo_t* info, void* context) noexcept {
  thread_block* const self = own_block();
  const std::uint64_t fs = thread_pointer();
  const place now = where(self, fs);
  if (now == place::foreign) return pass_on(signal, info);
  if (is_parked(*self) && wait_for_end_of_checkpoint(*self, signal, info, context)) return;
  tell_of_end(signal, info);
  tell_sender(info);
  if (now == place::upper) {
    rewind_vdso(*self, context);
    rewind_timed_call(context);
    enter_mask(*self, signal, context);
    handler(signal, info, context);
    return leave_mask(*self, context);
  }
  const std::uint64_t upper = self->upper_fs;
  ++self->inside;
  self->in_lower = 0;
  set_thread_pointer(upper);
  enter_mask(*self, signal, context);
  handler(signal, info, context);
  self->upper_fs = upper;
  self->in_lower = 1;
  set_thread_pointer(fs);
  --self->inside;
  leave_mask(*self, context);
}

/// Ends the process by the signal as soon as this handler has returned.
void end_by(int signal, void* context) noexcept {
  const struct { std::uint64_t handler, flags, restorer, mask; } standard = {0, 0, 0, 0};
  call(SYS_rt_sigaction, signal, reinterpret_cast<long>(&standard), 0, 8);
  call(SYS_tgkill, call(SYS_getpid, 0, 0, 0), call(SYS_gettid, 0, 0, 0), signal);
  mask_of(context) &= ~(std::uint64_t{1} << (signal - 1));
}

/// A held signal ends no call. A wait for signals begins again, since it may be for this one.
void hold(thread_block& self, const siginfo_t& info, void* context) noexcept {
  mana::split::hold_sigsys(self, info);
  if (where(&self, thread_pointer()) != place::upper) return;
  auto* const regs = arch::registers(*static_cast<ucontext_t*>(context));
  const auto at = reinterpret_cast<const char*>(regs[arch::instruction]);
  const bool in_stub = (at == stub_call_made || at == stub_reported_call_made) && regs[arch::result] == -4 /* EINTR */;
  if (!in_stub || interrupted_call(regs) != SYS_rt_sigtimedwait) return repeat_call(context);
  const arch::register_word rdx = regs[arch::argument[2]];
  go_back_to_call(regs);
  regs[arch::argument[2]] = rdx;
}

/// INV-71 a signal that has the number of one of mana's signals, but is not mana's, does what the program wants of that
/// number. The kernel has blocked more for mana's handler than for the program's.
/// in:  forced  the kernel ends a program that ignores it
void run_programs(int signal, siginfo_t* info, void* context, bool forced) noexcept {
  mana::lower::bridge& bridge = mana::lower::the_bridge();
  const std::uint64_t recorded = bridge.signal_handlers[signal];
  if (recorded == 1 && !forced) return;
  thread_block* const self = own_block();
  const bool waits = signal == SIGSYS && !forced && self != nullptr;
  if (waits && (mana::split::blocks_sigsys(*self) != 0 || is_parked(*self))) return hold(*self, *info, context);
  if (recorded <= 1) return end_by(signal, context);
  const std::uint64_t blocked = (mask_of(context) | mana::split::saved().signal_masks[signal]) &
                                ~bridge.our_signals;
  if ((bridge.signal_flags[signal] & SA_RESETHAND) != 0) bridge.signal_handlers[signal] = 0;
  call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&blocked), 0, sizeof blocked);
  run(reinterpret_cast<handler_type>(recorded), signal, info, context);
}

}  // namespace

extern "C" {

/// Handler of every signal that the program handles.
[[gnu::visibility("default")]] void mana_signal_trampoline(int signal, siginfo_t* info, void* context) {
  check_no_alignment();
  const std::uint64_t recorded = mana::lower::the_bridge().signal_handlers[signal];
  if (recorded <= 1) return;                      // the disposition changed while this signal was under way
  run(reinterpret_cast<handler_type>(recorded), signal, info, context);
}

/// Handler of SIGSYS.
[[gnu::visibility("default")]] void mana_trap_trampoline(int signal, siginfo_t* info, void* context) {
  check_no_alignment();
  constexpr int by_filter = 1;                    // SYS_SECCOMP
  const bool forced = info->si_code == by_filter;
  if (!forced || info->si_errno != mana::lower::trap_number) return run_programs(signal, info, context, forced);
  mana::lower::the_bridge().trap_handler(signal, info, context);
}

/// Handler of every signal that the live MPI's libraries handle. The program sees this address as theirs, and may call
/// it from its own handlers, in any process into which it is restarted. The lower half decides which function it stands
/// for there. The thread does not park meanwhile: its frame would return into a lower half that a restart does not
/// have. The park signal waits.
[[gnu::visibility("default")]] void mana_lower_handler(int signal, siginfo_t* info, void* context) {
  check_no_alignment();
  const mana::lower::bridge& bridge = mana::lower::the_bridge();
  const mana::lower::signal_function run = bridge.lower_handler;
  thread_block* const self = own_block();
  const std::uint64_t fs = thread_pointer();
  if (run == nullptr) return;
  if (where(self, fs) != place::upper) return run(signal, info, context);
  const std::uint64_t waiting = bridge.our_signals & ~(std::uint64_t{1} << (SIGSYS - 1));
  std::uint64_t before = 0;
  call(SYS_rt_sigprocmask, SIG_BLOCK, reinterpret_cast<long>(&waiting), reinterpret_cast<long>(&before), sizeof before);
  ++self->inside;
  self->upper_fs = fs;
  self->in_lower = 1;
  set_thread_pointer(self->lower_fs);
  run(signal, info, context);
  set_thread_pointer(fs);
  self->in_lower = 0;
  --self->inside;
  const std::uint64_t let_through = waiting & ~before;
  call(SYS_rt_sigprocmask, SIG_UNBLOCK, reinterpret_cast<long>(&let_through), 0, sizeof let_through);
}

/// Handler of the park signal. A thread in the lower half parks when it leaves its wrapper.
[[gnu::visibility("default")]] void mana_park_trampoline(int signal, siginfo_t* info, void* context) {
  check_no_alignment();
  const auto value = reinterpret_cast<std::uint64_t>(info->si_value.sival_ptr);
  if (info->si_code != SI_QUEUE || value != mana::lower::park_value) return run_programs(signal, info, context, false);
  thread_block* const self = own_block();
  if (where(self, thread_pointer()) != place::upper) return;
  rewind_vdso(*self, context);
  rewind_timed_call(context);
  const auto park = mana::lower::the_bridge().upper.on_park_signal;
  if (park != nullptr) park(signal, info, context);
  unblock_ours(context);
  repeat_call(context);
}

/// Handler of signals that request a checkpoint.
[[gnu::visibility("default")]] void mana_request_trampoline(int signal, siginfo_t*, void* context) {
  check_no_alignment();
  if (where(own_block(), thread_pointer()) == place::upper) repeat_call(context);
  const mana::lower::bridge& bridge = mana::lower::the_bridge();
  const bool stop = (bridge.stop_signals >> (signal - 1) & 1) != 0;
  const std::uint64_t amount = mana::lower::request_amount(stop);
  call(SYS_write, bridge.requests, reinterpret_cast<long>(&amount), sizeof amount);
}

}
