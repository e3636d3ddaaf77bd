// The seccomp filter. It tests the number first: the kernel then knows that all other calls pass, whatever their
// arguments, and no longer runs the filter for them. Then it tests the instruction pointer.
#include <runtime/split/call/descriptor_events.hpp>

#include <arch/registers.hpp>
#include <runtime/split/filter/input.hpp>
#include <runtime/split/filter/table.hpp>
#include <runtime/split/traps/memory/lazy.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/layout.h>
#include <runtime/split/window/own_filters.hpp>
#include <runtime/split/window/program_clocks.hpp>
#include <runtime/split/window/saved_state.hpp>
#include <runtime/split/window/upper_half.hpp>

#include <mana/lower/signals.hpp>
#include <mana/lower/zones.hpp>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <initializer_list>

namespace mana::split {
namespace {

constexpr std::uint32_t high(std::uint64_t v) noexcept { return static_cast<std::uint32_t>(v >> 32); }
constexpr std::uint64_t most_code = 0xffff'ffff;       // of a fixed program; its data may lie above

constexpr std::uint32_t low(std::uint64_t v) noexcept { return static_cast<std::uint32_t>(v); }

constexpr std::uint32_t number_field = offsetof(seccomp_data, nr);
constexpr std::uint32_t arch_field = offsetof(seccomp_data, arch);
constexpr std::uint32_t pointer_field = offsetof(seccomp_data, instruction_pointer);
constexpr std::uint32_t argument_field(unsigned i) noexcept {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + i * sizeof(std::uint64_t));
}

constexpr std::uint32_t trap = SECCOMP_RET_TRAP | lower::trap_number;
static_assert((lower::trap_number & ~SECCOMP_RET_DATA) == 0);
constexpr std::uint32_t get_auxiliary_vector = 0x41555856;      // PR_GET_AUXV, Linux 6.4
constexpr std::uint32_t futex_lock_pi2 = 13;         // Linux 5.14
constexpr auto own_process = static_cast<std::uint32_t>(lower::own_process_clock);
constexpr std::uint32_t clock_of_id = 0x8000'0000;    // negative: the processor time of a thread or process, or a device
constexpr std::uint32_t first_passing_advice = 20;   // MADV_COLD; MADV_DONTFORK to MADV_KEEPONFORK stay

/// Writes the filter's program. Every row jumps to the common end with its action in scratch word 0.
class filter_writer {
 public:
  std::vector<sock_filter> finish(const saved_state& state, calls_of process) {
    start();
    if (has_moved_clocks())                        // first: this group has the most frequent call
      for (const trap_row& row : trap_table(trapped_in::moved_clocks)) add(row);
    for (const trap_row& row : trap_table(trapped_in::every_process))
      if (row.when != condition::of_input || counts_input()) add(row);
    if (process == calls_of::restarted && stub().timed_call != 0) {
      for (const trap_row& row : trap_table(trapped_in::restarted)) add(row);
      if (state.tells_first_ids != 0)
        for (const trap_row& row : trap_table(trapped_in::told_ids)) add(row);
    }
    add_end(state);
    return take();
  }

  /// The filter for one descriptor of the launcher's input.
  std::vector<sock_filter> finish_input(const saved_state& state, std::uint32_t number) {
    numbers_ = {number};
    start();
    for (const trap_row& row : trap_table(trapped_in::every_process))
      if (row.when == condition::of_input) add(row);
    add_end(state);
    return take();
  }

 private:
  std::vector<sock_filter> take() {
    for (const std::size_t at : to_end_) code_[at].k = static_cast<std::uint32_t>(end_ - at - 1);
    return std::move(code_);
  }
  void statement(unsigned op, std::uint32_t k) { code_.push_back({static_cast<std::uint16_t>(op), 0, 0, k}); }
  void jump(unsigned op, std::uint32_t k, unsigned yes, unsigned no) {
    code_.push_back({static_cast<std::uint16_t>(BPF_JMP | op | BPF_K), static_cast<std::uint8_t>(yes),
                     static_cast<std::uint8_t>(no), k});
  }
  void load(std::uint32_t field) { statement(BPF_LD | BPF_W | BPF_ABS, field); }
  void answer(std::uint32_t action) { statement(BPF_RET | BPF_K, action); }
  void allow() { answer(SECCOMP_RET_ALLOW); }

  /// Continues only if the accumulator has one of these values.
  void only_if(std::span<const std::uint32_t> values) {
    for (auto left = static_cast<unsigned>(values.size()); const std::uint32_t v : values) jump(BPF_JEQ, v, left--, 0);
    allow();
  }
  void only_if(std::initializer_list<std::uint32_t> values) { only_if(std::span(values.begin(), values.size())); }
  void only_if_bit(unsigned argument, std::uint32_t bit) {
    load(argument_field(argument));
    jump(BPF_JSET, bit, 1, 0);
    allow();
  }
  void only_if_set(unsigned argument) {
    load(argument_field(argument));
    jump(BPF_JEQ, 0, 0, 3);
    load(argument_field(argument) + 4);
    jump(BPF_JEQ, 0, 0, 1);
    allow();
  }

  void add_clock_condition(const trap_row& row) {
    switch (row.when) {
      case condition::shows_clock:
        load(argument_field(0));
        jump(BPF_JSET, clock_of_id, 8, 0);
        return only_if({CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME, CLOCK_BOOTTIME_ALARM,
                        CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID});
      case condition::sleeps_until:
        only_if_bit(1, TIMER_ABSTIME);
        load(argument_field(0));
        return only_if({CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_BOOTTIME_ALARM, CLOCK_PROCESS_CPUTIME_ID,
                        own_process});
      case condition::waits_until:
        load(argument_field(1));
        statement(BPF_ALU | BPF_AND | BPF_K, ~std::uint32_t{FUTEX_PRIVATE_FLAG});
        only_if({FUTEX_WAIT_BITSET, FUTEX_WAIT_REQUEUE_PI, futex_lock_pi2});
        return only_if_set(3);
      case condition::by_monotonic:
        load(argument_field(row.argument + 1));
        only_if({CLOCK_MONOTONIC});
        return only_if_set(row.argument);
      case condition::of_program:
        load(argument_field(0));
        return only_if({RUSAGE_SELF, RUSAGE_THREAD, static_cast<std::uint32_t>(RUSAGE_CHILDREN)});
      case condition::absolute: return only_if_bit(1, TIMER_ABSTIME);
      default: return;
    }
  }

  void start() {
    load(arch_field);
    jump(BPF_JEQ, arch::audit, 1, 0);
    allow();
    load(number_field);
  }

  /// Begins and ends with the number in the accumulator. The row's own code leaves through the end or "allow".
  void add(const trap_row& row) {
    const std::size_t at = code_.size();
    jump(BPF_JEQ, row.number, 0, 0);
    switch (row.when) {
      case condition::duplicates:
        load(argument_field(1));
        only_if({F_DUPFD, F_DUPFD_CLOEXEC, F_NOTIFY, F_GETLK, F_SETOWN, F_GETOWN, F_SETOWN_EX, F_GETOWN_EX});
        break;
      case condition::of_terminal:
        load(argument_field(1));
        only_if({TIOCGPTPEER, TIOCGPGRP, TIOCSPGRP, TIOCGSID});
        break;
      case condition::of_group:
        load(argument_field(0));
        if (row.number == SYS_waitid) {
          only_if({P_PGID});
          break;
        }
        jump(BPF_JEQ, ~std::uint32_t{0}, 1, 0);        // any child
        jump(BPF_JSET, std::uint32_t{1} << 31, 1, 0);
        allow();
        break;
      case condition::of_peer:
        load(argument_field(2));
        only_if({SO_PEERCRED});
        break;
      case condition::own_memory:
        load(argument_field(0));
        jump(BPF_JSET, CLONE_THREAD, 2, 0);
        jump(BPF_JSET, CLONE_VM, 0, 1);
        allow();
        break;
      case condition::stays_advised:
        if (has_lazy()) break;
        load(argument_field(2));
        jump(BPF_JEQ, MADV_RANDOM, 4, 0);
        jump(BPF_JEQ, MADV_SEQUENTIAL, 3, 0);
        jump(BPF_JGE, MADV_DONTFORK, 0, 1);
        jump(BPF_JGE, first_passing_advice, 0, 1);
        allow();
        break;
      case condition::begins_tracing:
        load(argument_field(0));
        only_if({PTRACE_TRACEME, PTRACE_ATTACH, PTRACE_SEIZE});
        break;
      case condition::sets_gs:
        load(argument_field(0));
        jump(BPF_JEQ, arch::set_block_register, 1, 0);
        allow();
        break;
      case condition::of_places:
        load(argument_field(0));
        only_if({PR_SET_MM, get_auxiliary_vector, PR_SET_VMA, PR_SET_SYSCALL_USER_DISPATCH});
        break;
      case condition::of_input:
        load(argument_field(0));
        only_if(numbers_);
        break;
      case condition::told_close:
        load(argument_field(0));
        jump(BPF_JGE, first_untold_close, 0, 1);
        allow();
        break;
      case condition::by_name:
        load(argument_field(row.argument));
        jump(BPF_JSET, AT_EMPTY_PATH, 0, 1);
        allow();
        break;
      case condition::argument_set: only_if_set(row.argument); break;
      case condition::always:
      case condition::refused: break;
      default: add_clock_condition(row);
    }
    statement(BPF_LD | BPF_IMM, row.when == condition::refused ? SECCOMP_RET_ERRNO | ENOSYS : trap);
    to_end_.push_back(code_.size());
    statement(BPF_JMP | BPF_JA, 0);
    code_[at].jf = static_cast<std::uint8_t>(code_.size() - at - 1);
  }

  /// A call from the window, from addresses that MAP_32BIT chose, or from the program's fixed segments gets the row's
  /// action. Of the stub's calls only the report does.
  void add_end(const saved_state& state) {
    allow();   // none of the rows
    end_ = code_.size();
    statement(BPF_ST, 0);
    statement(BPF_LD | BPF_W | BPF_ABS, pointer_field + 4);
    add_low_end(state);
    jump(BPF_JGE, high(lower::window_begin), 1, 0);
    allow();
    jump(BPF_JGE, high(lower::window_end), 0, 1);
    allow();
    jump(BPF_JEQ, high(lower::stub_address), 0, 6);
    load(pointer_field);
    jump(BPF_JGE, low(lower::stub_address), 0, 4);
    load(number_field);
    jump(BPF_JGE, STUB_REPORT_NUMBER, 1, 0);
    allow();
    answer(trap);
    statement(BPF_LD | BPF_MEM, 0);
    statement(BPF_RET | BPF_A, 0);
  }

  /// For callers below 4 GiB. Begins and ends with the high half of the caller's address.
  void add_low_end(const saved_state& state) {
    const bool has_fixed = state.fixed_traps != 0;
    jump(BPF_JEQ, 0, 0, has_fixed ? 8 : 6);
    load(pointer_field);
    jump(BPF_JGE, low(lower::low_zone), 0, has_fixed ? 1 : 3);
    jump(BPF_JGE, low(lower::low_zone_end), has_fixed ? 0 : 2, has_fixed ? 2 : 0);
    if (has_fixed) {
      jump(BPF_JGE, low(state.fixed_begin), 0, 3);
      jump(BPF_JGE, low(std::min<std::uint64_t>(state.fixed_end, most_code)), 2, 0);
    }
    statement(BPF_LD | BPF_MEM, 0);
    statement(BPF_RET | BPF_A, 0);
    allow();
  }

  std::vector<std::uint32_t> numbers_{input_numbers().begin(), input_numbers().end()};
  std::vector<sock_filter> code_;
  std::vector<std::size_t> to_end_;
  std::size_t end_ = 0;
};

static_assert(high(lower::stub_address) == high(lower::program_zone - 1),
              "the filter takes all of the window that shares the stub's high word and follows it for the stub");

constinit bool rights_are_given_up = false;

bool install(const std::vector<sock_filter>& code) noexcept {
  const sock_fprog program{static_cast<unsigned short>(code.size()), const_cast<sock_filter*>(code.data())};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0;
}

constexpr std::uint32_t any_number = 0xffff'fffe;      // no descriptor has it

std::vector<sock_filter>& input_filter() noexcept {
  static std::vector<sock_filter> code;
  return code;
}

}  // namespace

void prepare_input_filter() {
  if (counts_input()) input_filter() = filter_writer().finish_input(saved(), any_number);
}

/// Changes existing memory: in a forked child, other threads' locks are as they were.
bool trap_input_by(int fd) noexcept {
  std::vector<sock_filter>& code = input_filter();
  const auto number_in = [](sock_filter& s) -> std::uint32_t* {
    return s.code == (BPF_JMP | BPF_JEQ | BPF_K) && s.k == any_number ? &s.k : nullptr;
  };
  std::uint32_t* places[8];
  std::size_t n = 0;
  for (sock_filter& s : code)
    if (std::uint32_t* const place = number_in(s); place != nullptr && n < std::size(places)) places[n++] = place;
  for (std::size_t i = 0; i < n; ++i) *places[i] = static_cast<std::uint32_t>(fd);
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  const bool is_in_force =
      n > 0 && !is_error(raw_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, as_word(&program)));
  for (std::size_t i = 0; i < n; ++i) *places[i] = any_number;
  if (is_in_force) note_another_own_filter();
  return is_in_force;
}

bool has_given_up_rights() noexcept { return rights_are_given_up; }

void note_earlier_filter() noexcept { rights_are_given_up = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1; }

/// The kernel takes a filter from a process that has CAP_SYS_ADMIN, or that can no longer gain rights by executing a
/// file. The latter then also applies to programs that it executes.
void install_filter(calls_of process) {
  const std::vector<sock_filter> code = filter_writer().finish(saved(), process);
  if (install(code)) return;
  if (errno == EACCES) {
    rights_are_given_up = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    if (rights_are_given_up && install(code)) return;
  }
  throw load_error(74, std::string("the kernel accepts no system call filter (seccomp: ") + std::strerror(errno) +
                           "); use a kernel 4.17 or newer with CONFIG_SECCOMP_FILTER, and a container that allows "
                           "seccomp(2)");
}

}  // namespace mana::split
