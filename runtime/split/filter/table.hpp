// The one list of system calls that are trapped: the filter and the handler are both made from it.
#pragma once
#include <runtime/split/call/trap.hpp>

#include <span>

namespace mana::split {

/// Which calls of a number are trapped, as far as a filter can see.
enum class condition {
  always,
  duplicates,     // fcntl: F_DUPFD, F_DUPFD_CLOEXEC, F_NOTIFY, F_GETLK, and whom the descriptor signals
  own_memory,     // clone: a thread, or a child with its own memory; vfork's kind runs through
  stays_advised,  // madvise: what a mapping keeps; giving memory back is no such advice. After a lazy restart: all
  sets_gs,        // arch_prctl: ARCH_SET_GS
  begins_tracing, // ptrace: PTRACE_TRACEME, PTRACE_ATTACH, PTRACE_SEIZE
  of_places,      // prctl: PR_GET_AUXV, PR_SET_MM, PR_SET_VMA, PR_SET_SYSCALL_USER_DISPATCH
  of_terminal,    // ioctl: TIOCGPTPEER, and the groups of a terminal
  of_input,       // read and its like: of a descriptor that has the launcher's input, where what is read of it is counted
  by_name,        // flags (index in trap_row::argument) without AT_EMPTY_PATH: not of an open descriptor
  argument_set,   // a pointer argument (its index in trap_row::argument) is not null
  told_close,     // close: of a number below first_untold_close
  refused,        // not trapped: ENOSYS at once
  of_group,       // wait4, waitid: for a group's children
  of_peer,        // getsockopt: SO_PEERCRED
  // Of clocks that have an offset:
  shows_clock,   // clock_gettime
  sleeps_until,  // clock_nanosleep: TIMER_ABSTIME
  waits_until,   // futex: FUTEX_WAIT_BITSET, FUTEX_WAIT_REQUEUE_PI, FUTEX_LOCK_PI2 with a time, but not a date
  by_monotonic,  // futex_waitv, futex_wait: with a time (index in trap_row::argument) of CLOCK_MONOTONIC (the argument
                 // after it)
  of_program,    // getrusage: RUSAGE_SELF, RUSAGE_THREAD, RUSAGE_CHILDREN
  absolute,      // timerfd_settime, timer_settime: TIMER_ABSTIME
};

struct trap_row {
  unsigned number;
  trap_function function;
  condition when = condition::always;
  unsigned argument = 0;
};

std::span<const trap_row> trap_table() noexcept;
/// Those that are trapped beside in a process in which the program's clocks have offsets.
std::span<const trap_row> clock_table() noexcept;

/// Those that name a thread or process, which a restarted process traps beside: INV-77.
std::span<const trap_row> id_table() noexcept;
/// And these beside, if the program is told the ids that it had first: INV-90.
std::span<const trap_row> told_id_table() noexcept;

enum class calls_of { started, restarted };

/// Installs the filter for the calling thread, for good: all that run the upper half descend from it.
/// errors: throws load_error (74) if the kernel refuses
void install_filter(calls_of process);
/// In force for the calling thread: calls that take of the launcher's input by this number. Of a process whose only thread it is.
bool trap_input_by(int fd) noexcept;
/// What that takes is made, where there is such an input. Before the program runs.
void prepare_input_filter();
/// Whether this process's filter has cost programs that it executes the rights of their files (set-user-ID, …).
bool has_given_up_rights() noexcept;
/// The program that this process was before had a filter of ours.
void note_earlier_filter() noexcept;

}  // namespace mana::split
