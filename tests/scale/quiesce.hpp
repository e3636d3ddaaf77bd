// One quiesce, simulated: a pattern, a network, a policy; and its twin without any, which says what the application
// itself took to come to the line.
#pragma once
#include "control.hpp"
#include "patterns.hpp"

#include <chrono>
#include <string>

namespace clock_scale {

struct setting {
  int ranks = 1024;
  const pattern* program = nullptr;
  network_options network;
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

/// Without a checkpoint: watches when the line's counts are reached.
class twin_clock final : public clock_port {
 public:
  twin_clock(const event_queue& queue, line_counts line) : queue_(queue), line_(std::move(line)) {}
  void serve(const mpi& program, std::size_t starts) {
    program_ = &program;
    missing_ = starts;
  }
  bool is_over() const noexcept { return missing_ == 0; }
  nanoseconds last() const noexcept { return last_; }

  mana::clock::verdict start(int, const mana::clock::collective&) override { return mana::clock::verdict::go; }
  void wait_begins(int, const std::vector<int>&) override {}
  void wait_ends(int) override {}
  void started(int, std::uint32_t group, std::uint32_t count) override {
    while (by_group_.size() <= group) {
      const auto at = line_.find(program_->groups().at(static_cast<std::uint32_t>(by_group_.size())).name);
      by_group_.push_back(at == line_.end() ? 0 : at->second);
    }
    if (count != by_group_[group]) return;
    --missing_;
    last_ = queue_.now();
  }

 private:
  const event_queue& queue_;
  const line_counts line_;
  const mpi* program_ = nullptr;
  std::vector<std::uint32_t> by_group_;
  std::size_t missing_ = 0;
  nanoseconds last_ = 0;
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

inline nanoseconds native_time(const setting& s, const line_counts& line, std::size_t starts, nanoseconds request) {
  event_queue queue;
  twin_clock clock(queue, line);
  mpi program(queue, clock, s.ranks);
  clock.serve(program, starts);
  program.start([&](rank_calls me) { return s.program->program(me, s.seed); });
  while (!clock.is_over() && queue.run_one()) {}
  return std::max(request, clock.last());
}

}  // namespace detail

template <mana::clock::policy P>
result simulate(const setting& s) {
  const auto began = std::chrono::steady_clock::now();
  result found;
  line_counts line;
  std::size_t starts = 0;
  {
    event_queue queue;
    control<P> all(queue, s.ranks, s.network);
    mpi program(queue, all, s.ranks);
    all.serve(program);
    program.start([&](rank_calls me) { return s.program->program(me, s.seed); });
    found.request = request_time(*s.program, s.seed);
    moment request;
    queue.push(found.request, request, 0);
    while (!request.has_come) queue.run_one();
    std::vector<std::uint32_t> before;
    for (int r = 0; r < s.ranks; ++r) before.push_back(detail::all_counts(program, r));
    all.request();
    while (!all.line_is_known() && queue.now() < found.request + s.limit && queue.run_one()) {}
    found.known = queue.now();
    if (!all.line_is_known()) found.failure = "no line\n" + all.describe();
    else line = detail::counts_at_line(program, found.failure);
    starts = detail::starts_of(program, line);
    detail::measure(all, program, before, found);
  }
  if (s.twin && found.failure.empty()) found.native = detail::native_time(s, line, starts, found.request);
  found.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return found;
}

}  // namespace clock_scale
