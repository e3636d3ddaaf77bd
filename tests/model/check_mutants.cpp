// The table of mutants: each has to be found out by some family.
#include "long_run.hpp"
#include "mutants.hpp"
#include "show_failure.hpp"
#include "sweep.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>

namespace clock_model {

namespace {

struct row {
  const char* name;
  const char* what;
  change in_policy = change::none;
  caller_faults by_callers{};
  const char* is_equivalent = nullptr;         // why no execution differs in what may be observed
};

const row rows[] = {
    {"raise_lost", "a raise is not said", change::raise_lost},
    {"raise_late", "a raise is said after the collective was entered, with the next one", change::raise_late},
    {"wait_lost", "a wait is not said", change::wait_lost},
    {"wait_end_lost", "a wait's end is not said", change::wait_end_lost},
    {"wildcard_lost", "a wait for anyone is not said", change::wildcard_lost},
    {"wildcard_of_one", "a wait for anyone is one for a certain rank", change::wildcard_of_one},
    {"needed_pass_nothing_on", "needs do not pass on along chains", change::needed_pass_nothing_on},
    {"behind_untold", "nobody says that it is behind", change::behind_untold},
    {"always_told_behind", "everybody who waits says that it is behind", change::always_told_behind},
    {"quiet_though_behind", "a rank that is behind says that it is quiet", change::quiet_though_behind},
    {"quiet_though_needed",
     "a rank that is needed says that it is quiet",
     change::quiet_though_needed,
     {},
     "who is needed is so by someone behind, who is not quiet. Before he is, he says that his wait has ended: so that\n"
     "    who was needed is told otherwise, and has to be quiet as of that"},
    {"quiet_once", "a rank says once after its first counts that it is quiet", change::quiet_once},
    {"quiet_of_next_version", "what is said is of the version after", change::quiet_of_next_version},
    {"late_targets_ignored", "a rank ignores targets after the first", change::late_targets_ignored},
    {"unknown_clocks_ignored", "a rank ignores targets of clocks that it has not yet", change::unknown_clocks_ignored},
    {"needs_ignored", "a rank does not hear that it is needed", change::needs_ignored},
    {"needs_never_end", "who was needed once is needed forever", change::needs_never_end},
    {"needed_are_held", "a need is no debt when a collective starts", change::needed_are_held},
    {"nobody_is_held", "without a debt collectives start, unsaid", change::nobody_is_held},
    {"all_are_held", "with a debt collectives are held", change::all_are_held},
    {"any_version_counts", "quiet as of any version is quiet", change::any_version_counts},
    {"targets_keep_version", "a raised target makes no new version", change::targets_keep_version},
    {"last_not_awaited", "the last link's quiet is not waited for", change::last_not_awaited},
    {"first_heard_is_enough", "the coordinator speaks before all were heard", change::first_heard_is_enough},
    {"last_link_not_told", "a raised target is not told to the last link", change::last_link_not_told},
    {"first_snapshot_only", "first counts of the first link only", change::first_snapshot_only},
    {"one_wait_only", "a wait takes the place of all others", change::one_wait_only},
    {"wait_end_ends_all", "a wait's end ends all waits", change::wait_end_ends_all},
    {"relay_quiet_early", "a relay is quiet before all below it are", change::relay_quiet_early},
    {"relay_quiet_of_old", "a relay is quiet as of the version before", change::relay_quiet_of_old},
    {"relay_counts_lost", "a relay passes no raise on", change::relay_counts_lost},
    {"relay_targets_lost", "a relay passes no target on", change::relay_targets_lost},
    {"relay_waits_lost", "a relay passes no wait on", change::relay_waits_lost},
    {"relay_behind_untold", "a relay does not say that those who wait are behind", change::relay_behind_untold},
    {"relay_always_behind", "a relay says of all who wait that they are behind", change::relay_always_behind},
    {"relay_needs_lost", "a relay does not say who is needed", change::relay_needs_lost},
    {"relay_any_version_counts", "to a relay quiet as of any version is quiet", change::relay_any_version_counts},
    {"relay_first_heard_is_enough", "a relay speaks before all were heard", change::relay_first_heard_is_enough},
    {"held_is_counted", "a held start is not taken back", change::none, {.held_is_counted = true}},
    {"old_answers_pass", "an answer to an older request passes", change::none, {.old_answers_pass = true}},
    {"heard_before_answer", "what was said before the answer is heard", change::none, {.heard_before_answer = true}},
    {"later_request_lost", "a request during a checkpoint is forgotten", change::none, {.later_request_lost = true}},
    {"late_line",
     "a rank's host does not hear of the line",
     change::none,
     {.late_line = true},
     "a rank that was quiet as of the line's version has no debt, and only a message gives it one. None is sent after\n"
     "    the line (rule 2), so needs holds all starts and says nothing by itself; the host's part is for other\n"
     "    policies"},
    {"end_unheard", "a rank's host does not hear of the end", change::none, {.end_unheard = true}},
    {"waits_untold", "waits are not told to the host", change::none, {.waits_untold = true}},
    {"wait_ends_untold", "waits' ends are not told", change::none, {.wait_ends_untold = true}},
    {"never_asks_again", "a held start does not ask again", change::none, {.never_asks_again = true}},
    {"one_clock_for_equal_groups",
     "communicators over the same members share a clock",
     change::none,
     {.one_clock_for_equal_groups = true}},
    {"counts_too_early",
     "counts are read before the last start is sure to ask",
     change::none,
     {.counts_too_early = true}},
    {"lock_waits_untold", "a wait for a lock is not told", change::none, {.lock_waits_untold = true}},
    {"holder_only", "a wait for a lock names only who has it then", change::none, {.holder_only = true}},
    {"last_before_only",
     "a wait for a lock names only the ranks that wait before it",
     change::none,
     {.last_before_only = true}},
    {"parks_before_it_looks",
     "a rank that waits for a lock does not look at the words while a request is pending",
     change::none,
     {.parks_before_it_looks = true}},
    {"place_taken_again", "a place in a lock's queue is taken again", change::none, {.place_taken_again = true}},
    {"unlock_counted", "an unlock counts as a collective", change::none, {.unlock_counted = true}},
    {"fence_counted_twice",
     "a group's first member counts a fence twice",
     change::none,
     {.fence_counted_twice = true}},
};

/// Fewer schedules, of more and larger programs: and where messages, or all but computations, are fast, the policy
/// itself runs no further than it must.
enum class pace : std::uint8_t { any, prompt, slow_computing };

struct trial {
  bounds family;
  const char* plan = "l";
  pace how = pace::any;
  const char* program = nullptr;               // one, in place of a family
  int fan_out = 0;
};
const trial trials[] = {
    {{2, 1, 4, 2, "sey"}},
    {{2, 1, 4, 2, "s"}, "ll"},
    {{2, 1, 4, 2, "s"}, "al"},
    {{2, 1, 2, 2, "s"}, "aal"},
    {{3, 2, 6, 3, "se"}, "l", pace::prompt},
    {{4, 2, 6, 4, "se"}, "l", pace::prompt},
    {{4, 2, 6, 4, "sa"}, "l", pace::prompt},
    {{}, "l", pace::prompt, "chain"},
    {{}, "l", pace::prompt, "acknowledged"},
    {{}, "l", pace::prompt, "two_waits"},
    {{3, 2, 6, 3, "se"}},
    {{}, "l", pace::slow_computing, "crossed"},
    {{}, "l", pace::any, "made"},
    {{}, "l", pace::any, "duplicate"},
    {{3, 2, 6, 3, "se"}, "l", pace::prompt, nullptr, 1},
    {{3, 1, 4, 3, "se"}, "l", pace::any, nullptr, 1},
    {{4, 2, 6, 4, "se"}, "l", pace::prompt, nullptr, 2},
    {{3, 2, 6, 3, "se"}, "l", pace::any, nullptr, 1},
    {{}, "l", pace::prompt, "chain", 2},
    {{}, "l", pace::slow_computing, "crossed", 1},
    {{}, "l", pace::slow_computing, "crossed", 2},
    {{2, 1, 6, 2, "sfl"}},
    {{}, "l", pace::prompt, "holder_is_held"},
    {{}, "l", pace::prompt, "next_holder"},
    {{}, "l", pace::prompt, "lock_passed_on"},
    {{}, "ll", pace::prompt, "contended"},
    {{}, "l", pace::prompt, "fenced"},
};

std::string name_of(const trial& t) {
  const bounds& b = t.family;
  std::string name = t.program == nullptr ? "" : t.program;
  if (name.empty())
    name =
        std::to_string(b.ranks) + "," + std::to_string(b.groups) + "," + std::to_string(b.operations) + " " + b.kinds;
  if (t.fan_out != 0) name += " tree " + std::to_string(t.fan_out);
  return name + " " + t.plan + (t.how == pace::any ? "" : t.how == pace::prompt ? " prompt" : " slow");
}

source source_of(const trial& t) {
  if (t.program == nullptr) return family_source(t.family);
  for (const named_program& p : named_programs())
    if (p.name == t.program) return one_program(p.what);
  return {};
}

constexpr const char* row_format = "%-23s %-71s %-22s %-21s %8s %9s\n";

struct killing {
  std::string how, where;
  std::uint64_t programs = 0, states = 0;
};

rules rules_of(const row& m, const trial& t, const options& o) {
  return {.plan = t.plan,
          .split_starts = o.how.split_starts,
          .reduce = true, .prompt = t.how == pace::prompt,
          .slow_computing = t.how == pace::slow_computing,
          .fan_out = t.fan_out,
          .batches = false,
          .faults = m.by_callers};
}

/// It does what must not be.
killing find_violation(const row& m, const options& o, std::uint64_t& states) {
  for (const trial& t : trials) {
    mutant::current = m.in_policy;
    const totals found = sweep<mutant>(source_of(t), rules_of(m, t, o), o.most, o.seconds);
    states += found.states;
    if (!found.failed) continue;
    if (!o.mutant.empty()) show_failure<mutant>(*found.failed, found.failure, o, rules_of(m, t, o), m.name);
    return {name_of(found.failure.what), name_of(t), found.programs, states};
  }
  return {};
}

/// Visits the programs of a trial, with what is found about the mutant and about the policy itself, as far as the
/// limits allow. visit: out: go on
template <class Visit>
void compare(const row& m, const trial& t, const options& o, std::uint64_t& states, Visit&& visit) {
  limits most = o.most;
  most.keep_line_counts = true;
  const stop_watch watch;
  source_of(t)([&](const script& s) {
    if (!ends_natively(s)) return true;
    rules how = rules_of(m, t, o);
    mutant::current = m.in_policy;
    const findings changed = explorer<mutant>(s, how, most).depth_first();
    states += changed.states;
    how.faults = {};
    const findings original = explorer<clock::needs>(s, how, most).depth_first();
    return (original.what != outcome::clean || visit(changed, original)) && watch.seconds() < o.seconds;
  });
}

/// Its farthest line is farther beyond the request than the policy's own with the same program, which was explored to
/// the end; or it does not come to a line where the policy does.
killing find_excess(const row& m, const options& o, std::uint64_t& states) {
  for (const trial& t : trials) {
    if (t.how == pace::any) continue;          // slow messages let even the policy itself run as far
    killing k{"", name_of(t)};
    compare(m, t, o, states, [&](const findings& changed, const findings& original) {
      ++k.programs;
      if (changed.most_beyond > original.most_beyond)
        k.how = "runs " + std::to_string(changed.most_beyond) + " for " + std::to_string(original.most_beyond);
      else if (changed.ends_without_line != 0 && original.ends_without_line == 0)
        k.how = "no line before the end";
      return k.how.empty();
    });
    k.states = states;
    if (!k.how.empty()) return k;
  }
  return {};
}

/// The argument that nothing differs is held against what the trials show: verdicts, all lines' counts, distances.
killing find_difference(const row& m, const options& o, std::uint64_t& states, std::uint64_t& compared) {
  for (const trial& t : trials) {
    killing k{"", name_of(t)};
    compare(m, t, o, states, [&](const findings& changed, const findings& original) {
      if (changed.what == outcome::limit) return true;
      ++compared;
      ++k.programs;
      if (changed.what != original.what || changed.line_counts != original.line_counts ||
          changed.most_beyond != original.most_beyond || changed.ends_without_line != original.ends_without_line)
        k.how = "differs";
      return k.how.empty();
    });
    k.states = states;
    if (!k.how.empty()) return k;
  }
  return {};
}

enum fate : int { killed, equivalent, alive, stopped, fates };

/// Prints the mutant's row. One that is marked equivalent and differs is no better than one that is alive.
fate judge(const row& m, const options& o) {
  std::uint64_t states = 0, compared = 0;
  killing k = m.is_equivalent == nullptr ? find_violation(m, o, states) : find_difference(m, o, states, compared);
  if (m.is_equivalent == nullptr && k.how.empty()) k = find_excess(m, o, states);
  fate end = (m.is_equivalent == nullptr) == k.how.empty() ? alive : killed;
  if (end == alive) {
    k.how = "ALIVE" + (k.how.empty() ? "" : ", " + k.how);
  } else if (m.is_equivalent != nullptr) {
    end = equivalent;
    k = {"equivalent", "", compared, states};
  }
  std::printf(row_format, m.name, m.what, k.how.c_str(), k.where.c_str(), std::to_string(k.programs).c_str(),
              std::to_string(states).c_str());
  if (end == equivalent) std::printf("    %s\n", m.is_equivalent);
  return end;
}

/// In a process of its own: the hosts abort where a contract is broken.
fate judge_apart(const row& m, const options& o) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    const fate end = judge(m, o);
    std::fflush(stdout);
    _exit(end);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) kill(child, SIGKILL);
  if (stop_signal != 0) return stopped;
  if (WIFEXITED(status)) return static_cast<fate>(WEXITSTATUS(status));
  const bool is_as_marked = m.is_equivalent == nullptr;
  std::printf(row_format, m.name, m.what, is_as_marked ? "the host's check" : "ALIVE, the host's check", "-", "-", "-");
  return is_as_marked ? killed : alive;
}

}  // namespace

bool check_mutants(const options& o) {
  std::array<int, fates> all{};
  std::printf(row_format, "mutant", "what is changed", "killed: how", "by", "programs", "states");
  for (const row& m : rows)
    if ((o.mutant.empty() || o.mutant == m.name) && stop_signal == 0) ++all[judge_apart(m, o)];
  const int judged = all[killed] + all[equivalent] + all[alive];
  if (judged + all[stopped] == 0) throw std::invalid_argument("unknown mutant " + o.mutant);
  std::printf("%d mutants: %d killed, %d equivalent, %d alive%s\n", judged, all[killed], all[equivalent], all[alive],
              stop_signal != 0 ? ", stopped" : "");
  return all[alive] == 0;
}

}  // namespace clock_model
