// Quiesces, simulated: a pattern, a policy, networks; and a twin of them that is not quiesced, which says when the
// application itself comes to each line.
#pragma once
#include "control.hpp"
#include "patterns.hpp"

#include <chrono>
#include <string>

namespace clock_scale {

struct setting {
  int ranks = 1024;
  const pattern* program = nullptr;
  std::uint64_t seed = 1;
  bool twin = true;
  nanoseconds limit = 100'000'000'000;  // from the request
};

struct result {
  std::string failure;           // empty: a line, and equal counts at it
  nanoseconds request = 0;       // when it came to process 0
  nanoseconds everywhere = 0;    // when the last rank heard of it
  nanoseconds declared = 0, known = 0;  // the line; to the last rank
  nanoseconds native = 0;        // when the twin has started what the line counts, not before the request
  std::uint32_t rounds = 0;
  traffic::most busiest;
  std::uint64_t messages = 0, bytes = 0, held = 0;
  double memory_mean = 0;
  std::size_t memory_most = 0;
  std::uint32_t farthest = 0;    // collectives that a rank has started from the request to the line, the most
  double wall_seconds = 0;

  nanoseconds beyond() const { return known - native; }
};

/// That it is so late.
struct moment final : event_handler {
  bool has_come = false;
  void on_event(std::uint64_t) override { has_come = true; }
};

using line_counts = std::map<mana::clock::group_name, std::uint32_t>;

/// Without a checkpoint: watches when the counts of each line are reached.
class twin_clock final : public clock_port {
 public:
  struct line {
    line_counts counts;
    std::size_t starts = 0;  // of the members of all groups
  };
  twin_clock(const event_queue& queue, std::vector<line> lines) : queue_(queue) {
    for (line& l : lines) lines_.push_back({std::move(l.counts), {}, l.starts, 0});
  }
  void serve(const mpi& program) { program_ = &program; }
  bool is_over() const noexcept {
    return std::all_of(lines_.begin(), lines_.end(), [](const watched& w) { return w.missing == 0; });
  }
  nanoseconds last(std::size_t line) const noexcept { return lines_[line].last; }

  mana::clock::verdict start(int, const mana::clock::collective&) override { return mana::clock::verdict::go; }
  void wait_begins(int, const std::vector<int>&) override {}
  void wait_ends(int) override {}
  void started(int, std::uint32_t group, std::uint32_t count) override {
    for (watched& w : lines_) {
      while (w.by_group.size() <= group) {
        const auto at = w.counts.find(program_->groups().at(static_cast<std::uint32_t>(w.by_group.size())).name);
        w.by_group.push_back(at == w.counts.end() ? 0 : at->second);
      }
      if (count != w.by_group[group]) continue;
      --w.missing;
      w.last = queue_.now();
    }
  }

 private:
  struct watched {
    line_counts counts;
    std::vector<std::uint32_t> by_group;  // the same, by the group's index
    std::size_t missing = 0;
    nanoseconds last = 0;
  };
  const event_queue& queue_;
  const mpi* program_ = nullptr;
  std::vector<watched> lines_;
};

namespace detail {

inline std::uint32_t all_counts(const mpi& program, int rank) {
  std::uint32_t sum = 0;
  for (const counted_group& c : program.counts(rank)) sum += c.count;
  return sum;
}

/// out: the counts of the groups that have any; failure, if they are not the same on all members
inline line_counts counts_at_line(const mpi& program, std::string& failure) {
  struct tally {
    std::uint32_t count = 0;
    int members = 0;
  };
  std::vector<tally> by_group(program.groups().size());
  for (int r = 0; r < program.size(); ++r)
    for (const counted_group& c : program.counts(r)) {
      if (c.count == 0) continue;
      tally& t = by_group[c.group];
      if (t.members++ == 0) t.count = c.count;
      if (t.count != c.count) failure = "members of a group have started differently many collectives";
    }
  line_counts line;
  for (std::uint32_t g = 0; g < by_group.size(); ++g) {
    if (by_group[g].members == 0) continue;
    const group& of = program.groups().at(g);
    if (by_group[g].members != of.size()) failure = "members of a group have not started what others have";
    line[of.name] = by_group[g].count;
  }
  return line;
}

inline std::size_t starts_of(const mpi& program, const line_counts& line) {
  std::size_t sum = 0;
  for (std::uint32_t g = 0; g < program.groups().size(); ++g)
    if (line.contains(program.groups().at(g).name)) sum += static_cast<std::size_t>(program.groups().at(g).size());
  return sum;
}

template <mana::clock::policy P>
void measure(const control<P>& all, const mpi& program, const std::vector<std::uint32_t>& before, result& found) {
  const traffic& t = all.messages();
  found.declared = all.declared_at();
  found.everywhere = all.requested_everywhere_at();
  found.rounds = t.rounds();
  found.busiest = t.busiest();
  found.messages = t.messages();
  found.bytes = t.bytes();
  found.held = all.held();
  for (int r = 0; r < program.size(); ++r) {
    const std::size_t bytes = all.memory(r);
    found.memory_most = std::max(found.memory_most, bytes);
    found.memory_mean += static_cast<double>(bytes) / program.size();
    found.farthest = std::max(found.farthest, all_counts(program, r) - before[static_cast<std::size_t>(r)]);
  }
}

/// out: by line
inline std::vector<nanoseconds> native_times(const setting& s, const std::vector<twin_clock::line>& lines) {
  event_queue queue;
  twin_clock clock(queue, lines);
  mpi program(queue, clock, s.ranks);
  clock.serve(program);
  program.start([&](rank_calls me) { return s.program->program(me, s.seed); });
  while (!clock.is_over() && queue.run_one()) {}
  std::vector<nanoseconds> times;
  for (std::size_t l = 0; l < lines.size(); ++l) times.push_back(clock.last(l));
  return times;
}

template <mana::clock::policy P>
result quiesce(const setting& s, const network_options& network, twin_clock::line& line) {
  const auto began = std::chrono::steady_clock::now();
  result found;
  event_queue queue;
  control<P> all(queue, s.ranks, network);
  mpi program(queue, all, s.ranks);
  all.serve(program);
  program.start([&](rank_calls me) { return s.program->program(me, s.seed); });
  found.request = request_time(*s.program, s.seed);
  moment request;
  queue.push(found.request, request, 0);
  while (!request.has_come) queue.run_one();
  std::vector<std::uint32_t> before;
  for (int r = 0; r < s.ranks; ++r) before.push_back(all_counts(program, r));
  all.request();
  while (!all.line_is_known() && queue.now() < found.request + s.limit && queue.run_one()) {}
  found.known = queue.now();
  if (!all.line_is_known()) found.failure = "no line\n" + all.describe();
  else line.counts = counts_at_line(program, found.failure);
  line.starts = starts_of(program, line.counts);
  measure(all, program, before, found);
  found.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return found;
}

}  // namespace detail

/// One quiesce for each network.
template <mana::clock::policy P>
std::vector<result> simulate(const setting& s, const std::vector<network_options>& networks) {
  std::vector<result> all;
  std::vector<twin_clock::line> lines(networks.size());
  for (std::size_t i = 0; i < networks.size(); ++i) all.push_back(detail::quiesce<P>(s, networks[i], lines[i]));
  if (!s.twin) return all;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!all[i].failure.empty()) lines[i] = {};
  const std::vector<nanoseconds> times = detail::native_times(s, lines);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].native = std::max(all[i].request, times[i]);
  return all;
}

}  // namespace clock_scale
