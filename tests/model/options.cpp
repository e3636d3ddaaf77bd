#include "options.hpp"

#include <algorithm>
#include <stdexcept>

namespace clock_model {

const char* const usage =
    "mana-clock-check: explores all executions of programs under a clock policy\n"
    "  --policy NAME        the policy (needs)\n"
    "  --family R,G,O       all programs up to so many ranks, groups, operations in all\n"
    "  --least-ranks R      of at least so many ranks (2)\n"
    "  --ops LETTERS        of: s barriers, b broadcasts, r reductions, e eager and y synchronous messages,\n"
    "                       a messages received from anyone, f fences, l locks, h shared locks (sbey)\n"
    "  --random N           N programs by chance instead, of all operations, within the family's bounds\n"
    "  --seed S             of chance (1)\n"
    "  --program NAME       one program; --list names them\n"
    "  --plan LETTERS       requests: l until the line, a may be given up at any moment (l)\n"
    "  --fan-out K          the coordinator and relays have so many children, not all ranks are the coordinator's\n"
    "  --batches            messages may come together: relays and the coordinator say later what they have to say\n"
    "  --whole-starts       no request comes between the count of a start and its question: fewer states\n"
    "  --no-reduction       every step by itself\n"
    "  --prompt             only schedules in which messages, but for requests, arrive at once\n"
    "  --slow-computing     only schedules in which a computation ends when nothing else can happen\n"
    "  --states N           most states per program (2000000)\n"
    "  --time S             most seconds of a core in all (of --mutants: per mutant and family)\n"
    "  --progress S         says on stderr every S seconds how far it is (where that is a terminal: 30)\n"
    "  --svg FILE           draws the counterexample\n"
    "  --mutants            shows that changed policies are found out\n"
    "  --mutant NAME        only this one, and how it is found out (--svg)\n";

namespace {

std::uint64_t number(const std::string& text) {
  std::size_t used = 0;
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  const std::uint64_t n = is_number ? std::stoull(text, &used) : 0;
  if (!is_number || n > 1'000'000'000'000) throw std::invalid_argument("not a number: " + text);
  return n;
}

void read_family(const std::string& text, bounds& b) {
  const std::size_t first = text.find(','), second = text.find(',', first + 1);
  if (first == std::string::npos || second == std::string::npos)
    throw std::invalid_argument("--family takes RANKS,GROUPS,OPERATIONS");
  b.ranks = static_cast<int>(number(text.substr(0, first)));
  b.groups = static_cast<int>(number(text.substr(first + 1, second - first - 1)));
  b.operations = static_cast<int>(number(text.substr(second + 1)));
  if (b.ranks < 2 || b.ranks > 6 || b.groups < 1 || b.groups > 20 || b.operations > 40)
    throw std::invalid_argument("--family: 2 to 6 ranks, 1 to 20 groups, up to 40 operations");
}

}  // namespace

options read_options(int count, char** words) {
  options o;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&]() -> std::string {
      if (++i == count) throw std::invalid_argument(word + " needs a value");
      return words[i];
    };
    const auto letters = [&](const std::string& known) {
      const std::string text = value();
      if (text.empty() || text.find_first_not_of(known) != std::string::npos)
        throw std::invalid_argument(word + " takes letters of " + known);
      return text;
    };
    if (word == "--policy") o.policy = value();
    else if (word == "--family") read_family(value(), o.family), o.has_family = true;
    else if (word == "--least-ranks") o.family.least_ranks = static_cast<int>(number(value()));
    else if (word == "--ops") o.family.kinds = letters("sbreyaflh");
    else if (word == "--random") o.random = number(value());
    else if (word == "--seed") o.seed = static_cast<unsigned>(number(value()));
    else if (word == "--program") o.program = value();
    else if (word == "--plan") o.how.plan = letters("la");
    else if (word == "--fan-out") o.how.fan_out = static_cast<int>(std::min<std::uint64_t>(number(value()), 100));
    else if (word == "--batches") o.how.batches = true;
    else if (word == "--whole-starts") o.how.split_starts = false;
    else if (word == "--no-reduction") o.how.reduce = false;
    else if (word == "--prompt") o.how.prompt = true;
    else if (word == "--slow-computing") o.how.slow_computing = true;
    else if (word == "--states") o.most.states = number(value());
    else if (word == "--time") o.seconds = static_cast<double>(number(value()));
    else if (word == "--progress") o.progress = std::min(number(value()), std::uint64_t{86400});
    else if (word == "--svg") o.svg = value();
    else if (word == "--mutants") o.mutants = true;
    else if (word == "--mutant") o.mutants = true, o.mutant = value();
    else if (word == "--list") o.list = true;
    else throw std::invalid_argument("unknown option " + word);
  }
  if (o.family.least_ranks < 2 || o.family.least_ranks > o.family.ranks)
    throw std::invalid_argument("--least-ranks: 2 to the family's ranks");
  return o;
}

}  // namespace clock_model
