#include "simulation.hpp"

#include <algorithm>

namespace clock_replay {

using namespace mana::control;
using mana::clock::verdict;

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

simulation::simulation(std::filesystem::path directory, options o, const makers& make)
    : options_(o), chance_(o.seed), links_(index(o.ranks)), ranks_(index(o.ranks)) {
  std::vector<int> all;
  for (int r = 0; r < o.ranks; ++r) all.push_back(r);
  groups_ = {{{1, 100}, all}, {{2, 100}, {0, 1}}, {{3, 100}, std::vector<int>(all.begin() + 1, all.end())}};
  for (int i = 0; i < 300; ++i) order_.push_back(below(groups_.size()));
  const auto sink = [&](int r) {
    return open_trace(directory, {trace_head::this_format, o.seed, r, o.ranks, o.policy});
  };
  coordinator_ = recorded(
      sink(trace_head::coordinator),
      [&](std::function<void(int, const bytes&)> send) { return make.coordinator(o.policy, o.ranks, std::move(send)); },
      [this](int r, const bytes& frame) { links_[index(r)].down.push_back(body_of(frame)); });
  for (int r = 0; r < o.ranks; ++r) {
    ranks_[index(r)].counts.resize(groups_.size());
    ranks_[index(r)].clock = recorded(
        sink(r), [&](std::function<void(const bytes&)> send) { return make.rank(o.policy, r, std::move(send)); },
        [this, r](const bytes& frame) { links_[index(r)].up.push_back(body_of(frame)); });
  }
}

/// A killed process says nothing at its end.
simulation::~simulation() {
  if (!options_.killed) return;
  for (rank& r : ranks_) static_cast<void>(r.clock.release());
  static_cast<void>(coordinator_.release());
}

void simulation::run() {
  for (int i = 1; i <= options_.requests; ++i) {
    run_freely();
    request();
    quiesce(options_.give_up_some && i % 2 == 0);
    if (options_.killed && i == options_.requests) return;
    end_request();
  }
}

/// Without a request nobody asks the clock.
void simulation::run_freely() {
  for (int r = 0; r < options_.ranks; ++r)
    for (auto left = below(5); left > 0; --left) start(r);
}

void simulation::request() { coordinator_->request(); }

void simulation::quiesce(bool give_up) {
  constexpr int ample = 20'000;
  const int most = give_up ? static_cast<int>(below(60)) : ample;
  for (int i = 0; i < most && !all_heard() && anything(); ++i) {}
  for (int left = 12; !give_up && left > 0; --left) start(static_cast<int>(below(ranks_.size())));
}

/// All ranks hear of the end, after what was sent to them before.
void simulation::end_request() {
  coordinator_->end();
  for (int r = 0; r < options_.ranks; ++r) {
    while (arrive_at_rank(r)) {}
    ranks_[index(r)].clock->end();
    ranks_[index(r)].held = false;
    while (arrive_at_coordinator(r)) {}
  }
}

bool simulation::anything() {
  const std::size_t kinds = 4, all = kinds * ranks_.size(), first = below(all);
  for (std::size_t i = 0; i < all; ++i) {
    const std::size_t chosen = (first + i) % all;
    const int r = static_cast<int>(chosen / kinds);
    const bool moved = chosen % kinds == 0   ? arrive_at_rank(r)
                       : chosen % kinds == 1 ? arrive_at_coordinator(r)
                       : chosen % kinds == 2 ? start(r)
                                             : below(4) == 0 && wait(r);
    if (moved) return true;
  }
  for (int r = 0; r < options_.ranks; ++r)
    if (ranks_[index(r)].waits && wait(r)) return true;  // chance left it out, and others may depend on it
  return false;
}

bool simulation::start(int r) {
  rank& me = ranks_[index(r)];
  if (me.waits || (me.held && me.clock->changes() == me.held_at)) return false;
  while (me.next < order_.size()) {
    const std::size_t g = order_[me.next];
    const auto& members = groups_[g].members;
    if (!members.contains(r)) {
      ++me.next;
      continue;
    }
    const bool asked = me.clock->quiescing();
    if (asked && me.clock->start({groups_[g].name, me.counts[g] + 1, members}) == verdict::hold) {
      me.held = true;
      me.held_at = me.clock->changes();
      return true;
    }
    ++me.counts[g];
    ++me.next;
    me.held = false;
    return true;
  }
  return false;
}

bool simulation::arrive_at_rank(int r) {
  std::deque<bytes>& queue = links_[index(r)].down;
  if (queue.empty()) return false;
  const bytes body = queue.front();
  queue.pop_front();
  frame_reader frame(body);
  rank& me = ranks_[index(r)];
  if (frame.type() == frame_type::requested) {
    std::vector<mana::clock::group_count> counted;
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (me.counts[g] != 0) counted.push_back({groups_[g].name, me.counts[g], groups_[g].members});
    me.clock->begin(frame.get<std::uint64_t>(), counted);
  } else if (frame.type() == frame_type::line) {
    me.clock->line();
  } else {
    me.clock->receive(frame);
  }
  return true;
}

bool simulation::arrive_at_coordinator(int r) {
  std::deque<bytes>& queue = links_[index(r)].up;
  if (queue.empty()) return false;
  const bytes body = queue.front();
  queue.pop_front();
  frame_reader frame(body);
  if (frame.type() == frame_type::answered) coordinator_->answer(r, frame);
  else coordinator_->receive(r, frame);
  if (below(2) == 0 || queue.empty()) coordinator_->settle();
  return true;
}

/// Waits that begin and end by themselves; a rank has one thread.
bool simulation::wait(int r) {
  rank& me = ranks_[index(r)];
  if (!me.clock->quiescing() || me.clock->at_line()) return false;
  const int peer = (r + 1) % options_.ranks;
  if (me.waits) me.clock->wait_ends(7);
  else me.clock->wait_begins(7, std::span(&peer, 1));
  me.waits = !me.waits;
  return true;
}

bool simulation::all_heard() const {
  for (const rank& r : ranks_)
    if (!r.clock->at_line()) return false;
  return true;
}

}  // namespace clock_replay
