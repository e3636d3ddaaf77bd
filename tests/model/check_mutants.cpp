// The table of mutants: each has to be found out by some family.
#include "mutants.hpp"
#include "options.hpp"
#include "sweep.hpp"

#include <cstdio>

namespace clock_model {

namespace {

struct row {
  const char* name;
  const char* what;
  change in_policy = change::none;
  caller_faults by_callers{};
  bool splits_starts = false;
};

const row rows[] = {
    {"raise_lost", "a raise is not sent", change::raise_lost},
    {"followers_raise_lost", "a raise is sent only if it is the furthest", change::followers_raise_lost},
    {"needed_raise_lost", "a raise is sent only by who follows others", change::needed_raise_lost},
    {"raise_late", "a raise is sent after the collective was entered, with the next change", change::raise_late},
    {"need_lost", "a need is not sent", change::need_lost},
    {"need_end_lost", "a need's end is not sent", change::need_end_lost},
    {"wildcard_need_lost", "a wildcard is no need", change::wildcard_need_lost},
    {"wildcard_need_of_one", "a wildcard is a need of one rank", change::wildcard_need_of_one},
    {"needed_pass_nothing_on", "needs do not pass on along chains", change::needed_pass_nothing_on},
    {"report_though_needed", "a needed rank reports", change::report_though_needed},
    {"report_though_behind", "a rank that is behind reports", change::report_though_behind},
    {"report_once", "only the first report is sent", change::report_once},
    {"report_of_next_version", "a report is of the version after", change::report_of_next_version},
    {"late_targets_ignored", "a rank ignores targets after the first", change::late_targets_ignored},
    {"needs_ignored", "a rank does not know who needs it", change::needs_ignored},
    {"needs_never_end", "who once needed a rank needs it for ever", change::needs_never_end},
    {"needed_are_held", "a need is no debt when a collective starts", change::needed_are_held},
    {"nobody_is_held", "without a debt collectives start, unraised", change::nobody_is_held},
    {"all_are_held", "with a debt collectives are held", change::all_are_held},
    {"any_report_counts", "a report of any version counts", change::any_report_counts},
    {"raise_keeps_version", "a raise makes no new version", change::raise_keeps_version},
    {"last_not_awaited", "the last rank's report is not waited for", change::last_not_awaited},
    {"unconcerned_not_told", "a version goes only to those whom it concerns", change::unconcerned_not_told},
    {"last_member_not_told", "a raised target is not told to the last rank", change::last_member_not_told},
    {"first_snapshot_only", "counts of the first rank's snapshot only", change::first_snapshot_only},
    {"one_need_only", "a need takes the place of all others", change::one_need_only},
    {"need_end_ends_all", "a need's end ends all", change::need_end_ends_all},
    {"held_is_counted", "a held start is not taken back", change::none, {.held_is_counted = true}},
    {"old_answers_pass", "an answer to an older request is taken for one to this", change::none, {.old_answers_pass = true}},
    {"heard_before_answer", "what was said before the answer is heard", change::none, {.heard_before_answer = true}},
    {"later_request_lost", "a request during a checkpoint is forgotten", change::none, {.later_request_lost = true}},
    {"late_line", "a rank's host does not hear of the line", change::none, {.late_line = true}},
    {"end_unheard", "a rank's host does not hear of the end", change::none, {.end_unheard = true}},
    {"waits_untold", "waits are not told to the host", change::none, {.waits_untold = true}},
    {"wait_ends_untold", "waits' ends are not told", change::none, {.wait_ends_untold = true}},
    {"never_asks_again", "a held start does not ask again", change::none, {.never_asks_again = true}},
    {"counts_too_early", "counts are read before the last start is sure to ask", change::none, {.counts_too_early = true},
     true},
};

struct trial {
  bounds family;
  const char* plan;
};
const trial trials[] = {
    {{2, 1, 4, 2, "sey"}, "l"},  {{2, 1, 4, 2, "s"}, "ll"},   {{2, 1, 4, 2, "s"}, "al"},  {{3, 2, 6, 3, "se"}, "l"},
    {{3, 2, 6, 3, "sa"}, "l"},   {{4, 2, 6, 4, "se"}, "l"},   {{4, 2, 6, 4, "sa"}, "l"},  {{5, 2, 8, 5, "se"}, "l"},
};

std::string name_of(const trial& t) {
  const bounds& b = t.family;
  return std::to_string(b.ranks) + "," + std::to_string(b.groups) + "," + std::to_string(b.operations) + " " + b.kinds +
         " " + t.plan;
}

struct killing {
  std::string how, where;
  std::uint64_t programs = 0, states = 0;
};

rules rules_of(const row& m, const trial& t) {
  return {.plan = t.plan, .split_starts = m.splits_starts, .reduce = true, .faults = m.by_callers};
}

/// It does what must not be.
killing find_violation(const row& m, const options& o, std::uint64_t& states) {
  for (const trial& t : trials) {
    mutant::current = m.in_policy;
    const totals found = sweep<mutant>(family_source(t.family), rules_of(m, t), o.most, o.seconds);
    states += found.states;
    if (found.failed) return {name_of(found.failure.what), name_of(t), found.programs, states};
  }
  return {};
}

/// It runs further beyond the request than the policy itself ever does with the same program, or never comes to a line.
killing find_excess(const row& m, const options& o, std::uint64_t& states) {
  for (const trial& t : trials) {
    killing k;
    std::uint64_t programs = 0;
    const stop_watch watch;
    family_source(t.family)([&](const script& s) {
      if (!ends_natively<clock::needs>(s)) return true;
      rules how = rules_of(m, t);
      mutant::current = m.in_policy;
      const findings changed = explorer<mutant>(s, how, o.most).depth_first();
      how.faults = {};
      const findings original = explorer<clock::needs>(s, how, o.most).depth_first();
      ++programs;
      states += changed.states;
      if (original.what != outcome::clean) return true;
      if (changed.most_beyond > original.most_beyond) k.how = "runs too far";
      else if (changed.ends_without_line > original.ends_without_line) k.how = "no line before the end";
      return k.how.empty() && watch.seconds() < o.seconds;
    });
    if (!k.how.empty()) return {k.how, name_of(t), programs, states};
  }
  return {};
}

/// The policy itself passes where the mutant is judged.
bool can_be_judged(const row& m, const options& o) {
  if (!m.splits_starts) return true;
  row plain = m;
  plain.by_callers = {};
  mutant::current = change::none;
  return !sweep<mutant>(family_source(trials[0].family), rules_of(plain, trials[0]), o.most, o.seconds).failed;
}

}  // namespace

bool check_mutants(const options& o) {
  int killed = 0, alive = 0;
  std::printf("%-23s %-71s %-22s %-12s %8s %9s\n", "mutant", "what is changed", "killed: how", "by family", "programs",
              "states");
  for (const row& m : rows) {
    std::uint64_t states = 0;
    killing k;
    if (!can_be_judged(m, o)) {
      k.how = "not judged: the policy itself fails here";
    } else {
      k = find_violation(m, o, states);
      if (k.how.empty()) k = find_excess(m, o, states);
      ++(k.how.empty() ? alive : killed);
    }
    std::printf("%-23s %-71s %-22s %-12s %8lu %9lu\n", m.name, m.what, k.how.empty() ? "ALIVE" : k.how.c_str(),
                k.where.c_str(), k.programs, states);
    std::fflush(stdout);
  }
  std::printf("%d killed, %d alive\n", killed, alive);
  return alive == 0;
}

}  // namespace clock_model
