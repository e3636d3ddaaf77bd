// Prints docs/system_calls.md from the table of system calls.
#include <runtime/split/filter/system_calls.hpp>

#include <runtime/split/window/layout.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using mana::split::condition;
using mana::split::trapped_in;

struct line {
  unsigned number;
  const char* name;
  std::string treatment;
  const char* why;
};

/// The trapped calls, as an addition to "trapped"; empty: all.
std::string words_of(condition when, unsigned argument) {
  switch (when) {
    case condition::always:
    case condition::refused: return "";
    case condition::duplicates: return ": F_DUPFD, F_DUPFD_CLOEXEC, F_NOTIFY, F_GETLK, F_SETOWN, F_GETOWN and their _EX";
    case condition::own_memory: return ": threads, and children with their own memory";
    case condition::stays_advised: return ": lasting advice, and after a lazy restart all advice";
    case condition::sets_gs: return ": ARCH_SET_GS";
    case condition::begins_tracing: return ": PTRACE_TRACEME, PTRACE_ATTACH, PTRACE_SEIZE";
    case condition::of_places: return ": PR_GET_AUXV, PR_SET_MM, PR_SET_VMA, PR_SET_SYSCALL_USER_DISPATCH";
    case condition::of_terminal: return ": TIOCGPTPEER, TIOCGPGRP, TIOCSPGRP, TIOCGSID";
    case condition::of_input: return ": of the launcher's standard input, if mana counts it";
    case condition::by_name: return ": without AT_EMPTY_PATH";
    case condition::argument_set: return ": argument " + std::to_string(argument + 1) + " is not 0";
    case condition::told_close: return ": numbers that the lower half may use";
    case condition::of_group: return ": for the children of a group";
    case condition::of_peer: return ": SO_PEERCRED";
    case condition::shows_clock: return ": of clocks other than the time of day";
    case condition::sleeps_until: return ": TIMER_ABSTIME";
    case condition::waits_until: return ": waits until a time that is not a date";
    case condition::by_monotonic: return ": until a time of CLOCK_MONOTONIC";
    case condition::of_program: return ": RUSAGE_SELF, RUSAGE_THREAD, RUSAGE_CHILDREN";
    case condition::absolute: return ": TIMER_ABSTIME";
  }
  return "";
}

std::string words_of(trapped_in where) {
  switch (where) {
    case trapped_in::every_process: return "";
    case trapped_in::moved_clocks: return ", if the program's clocks have offsets";
    case trapped_in::restarted: return ", after a restart";
    case trapped_in::told_ids: return ", after a restart in which the program keeps its first ids";
  }
  return "";
}

std::string treatment_of(trapped_in where, condition when, unsigned argument) {
  if (when == condition::refused) return "refused: ENOSYS";
  return "trapped" + words_of(when, argument) + words_of(where);
}

std::vector<line> lines_by_number() {
#define MANA_TRAPPED(name, number, where, handler, when, argument, why) \
  {number, #name, treatment_of(trapped_in::where, condition::when, argument), why},
#define MANA_PASSING(name, number, why) {number, #name, "passes", why},
  std::vector<line> all{MANA_SYSTEM_CALLS(MANA_TRAPPED, MANA_PASSING)};
  std::ranges::sort(all, {}, &line::number);
  return all;
}

constexpr const char* head = R"(# System calls

`mana-system-calls` prints this page from the table in runtime/split/filter/system_calls.hpp. A test compares the page with the table, and
the table with the system's headers.

The kernel carries out the program's system calls itself, unless mana must know of them, or carry them out in another way. A
filter sends such calls to a handler (trapped), and refuses some. A call that passes costs the filter alone. A number that is missing
here is newer than the table, and passes.

| number | call | what mana does | why |
|--:|---|---|---|)";

}  // namespace

int main() {
  std::puts(head);
  for (const line& each : lines_by_number())
    if (each.number < STUB_REPORT_NUMBER)
      std::printf("| %u | %s | %s | %s |\n", each.number, each.name, each.treatment.c_str(), each.why);
}
