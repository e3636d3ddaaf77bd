// The table of system calls: every number that Linux has for x86-64, mana's treatment of it, and the reason. The filter
// and the handler are made from the table, and docs/system_calls.md is printed from it.
//
// INV-95 every system call in the system's headers has one row in one table, which says what mana does with it and why.
#pragma once
#include <runtime/split/filter/passing_calls.hpp>
#include <runtime/split/filter/trapped_calls.hpp>

#define MANA_SYSTEM_CALLS(TRAPPED, PASSING) MANA_TRAPPED_CALLS(TRAPPED) MANA_PASSING_CALLS(PASSING)

namespace mana::split {

/// The processes whose filter has the row.
enum class trapped_in {
  every_process,
  moved_clocks,   // the program's clocks have offsets
  restarted,
  told_ids,       // restarted, and the program is told its first ids
};

/// The calls of a number that are trapped, as far as a filter can tell.
enum class condition {
  always,
  duplicates,     // fcntl: F_DUPFD, F_DUPFD_CLOEXEC, F_NOTIFY, F_GETLK, and the owners of the descriptor's signals
  own_memory,     // clone: a thread, or a child with its own memory; vfork's kind runs through
  stays_advised,  // madvise: advice that a mapping keeps, unlike the return of memory. After a lazy restart: all
  sets_gs,        // arch_prctl: ARCH_SET_GS
  begins_tracing, // ptrace: PTRACE_TRACEME, PTRACE_ATTACH, PTRACE_SEIZE
  of_places,      // prctl: PR_GET_AUXV, PR_SET_MM, PR_SET_VMA, PR_SET_SYSCALL_USER_DISPATCH
  of_terminal,    // ioctl: TIOCGPTPEER, and the groups of a terminal
  of_input,       // read and similar calls: on a descriptor of the launcher's input, if its bytes are counted
  by_name,        // flags (the row's argument) without AT_EMPTY_PATH: not of an open descriptor
  argument_set,   // a pointer argument (the row's) is not null
  told_close,     // close: of a number below first_untold_close
  refused,        // not trapped: ENOSYS at once
  of_group,       // wait4, waitid: for a group's children
  of_peer,        // getsockopt: SO_PEERCRED
  // For clocks that have an offset:
  shows_clock,   // clock_gettime
  sleeps_until,  // clock_nanosleep: TIMER_ABSTIME
  waits_until,   // futex: FUTEX_WAIT_BITSET, FUTEX_WAIT_REQUEUE_PI, FUTEX_LOCK_PI2 with a time, but not a date
  by_monotonic,  // futex_waitv, futex_wait: with a time (the row's argument) of CLOCK_MONOTONIC (the argument after it)
  of_program,    // getrusage: RUSAGE_SELF, RUSAGE_THREAD, RUSAGE_CHILDREN
  absolute,      // timerfd_settime, timer_settime: TIMER_ABSTIME
};

}  // namespace mana::split
