// The one table of system calls: every number that Linux has for x86-64, what is done with it, and why. The filter and the
// handler are made from it, and docs/system_calls.md is printed from it.
// INV-95 every system call that the system's headers have is in one row of one table, which says what mana does with it and why.
#pragma once
#include <runtime/split/filter/passing_calls.hpp>
#include <runtime/split/filter/trapped_calls.hpp>

#define MANA_SYSTEM_CALLS(TRAPPED, PASSING) MANA_TRAPPED_CALLS(TRAPPED) MANA_PASSING_CALLS(PASSING)

namespace mana::split {

/// The processes whose filter has a row.
enum class trapped_in {
  every_process,
  moved_clocks,   // in which the program's clocks have offsets
  restarted,
  told_ids,       // restarted, and the program is told the ids that it had first
};

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
  by_name,        // flags (the row's argument) without AT_EMPTY_PATH: not of an open descriptor
  argument_set,   // a pointer argument (the row's) is not null
  told_close,     // close: of a number below first_untold_close
  refused,        // not trapped: ENOSYS at once
  of_group,       // wait4, waitid: for a group's children
  of_peer,        // getsockopt: SO_PEERCRED
  // Of clocks that have an offset:
  shows_clock,   // clock_gettime
  sleeps_until,  // clock_nanosleep: TIMER_ABSTIME
  waits_until,   // futex: FUTEX_WAIT_BITSET, FUTEX_WAIT_REQUEUE_PI, FUTEX_LOCK_PI2 with a time, but not a date
  by_monotonic,  // futex_waitv, futex_wait: with a time (the row's argument) of CLOCK_MONOTONIC (the argument after it)
  of_program,    // getrusage: RUSAGE_SELF, RUSAGE_THREAD, RUSAGE_CHILDREN
  absolute,      // timerfd_settime, timer_settime: TIMER_ABSTIME
};

}  // namespace mana::split
