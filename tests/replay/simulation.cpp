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
  for (int p = 0; p < o.ranks; ++p) make_owner(directory, p, make);
  for (int r = 0; r < o.ranks; ++r) {
    ranks_[index(r)].counts.resize(groups_.size());
    ranks_[index(r)].clock = recorded(
        open_trace(directory, {trace_head::this_format, o.seed, r, o.ranks, o.fan_out, o.policy}),
        [&](to_parent send) { return make.rank(o.policy, r, std::move(send)); },
        [this, r](const bytes& frame) { links_[index(r)].up.push_back(body_of(frame)); });
  }
}

/// Nothing, if the process has no clock but its rank's.
void simulation::make_owner(const std::filesystem::path& directory, int process, const makers& make) {
  const auto links =
      mana::clock::links_of(mana::clock::place_of(process, options_.ranks, options_.fan_out).range, options_.fan_out);
  const bool combining = combines(options_.policy);
  if (process != 0 && (!combining || links.size() == 1)) return;
  owner& made = owners_[process];
  if (!combining)
    for (link& l : links_) made.links.push_back(&l);
  else
    for (const auto& to : links)
      made.links.push_back(to.size() == 1 ? &links_[index(to.first)] : &relay_links_[to.first]);
  const trace_sink sink = open_trace(directory, {trace_head::this_format, options_.seed, trace_head::relay_of(process),
                                                 options_.ranks, options_.fan_out, options_.policy});
  const to_link down = [&made](int l, const bytes& frame) { made.links[index(l)]->down.push_back(body_of(frame)); };
  if (process == 0) {
    made.coordinator = recorded(
        sink, [&](to_link send) { return make.coordinator(options_.policy, links, std::move(send)); }, down);
    return;
  }
  made.up = &relay_links_[process];
  made.relay = recorded(
      sink,
      [&](to_link send, to_parent up) { return make.relay(options_.policy, links, std::move(send), std::move(up)); },
      down, [&made](const bytes& frame) { made.up->up.push_back(body_of(frame)); });
}

/// A killed process says nothing at its end.
simulation::~simulation() {
  if (!options_.killed) return;
  for (rank& r : ranks_) static_cast<void>(r.clock.release());
  for (auto& [process, o] : owners_) {
    static_cast<void>(o.coordinator.release());
    static_cast<void>(o.relay.release());
  }
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

void simulation::request() { owners_[0].coordinator->request(); }

void simulation::quiesce(bool give_up) {
  constexpr int ample = 20'000;
  const int most = give_up ? static_cast<int>(below(60)) : ample;
  for (int i = 0; i < most && !all_heard() && anything(); ++i) {}
  for (int left = 12; !give_up && left > 0; --left) start(static_cast<int>(below(ranks_.size())));
}

/// All hear of the end, after what was sent to them before.
void simulation::end_request() {
  owners_[0].coordinator->end();
  for (auto& [process, o] : owners_) {
    while (arrive_from_above(o)) {}
    if (o.relay != nullptr) o.relay->end();
  }
  for (int r = 0; r < options_.ranks; ++r) {
    while (arrive_at_rank(r)) {}
    ranks_[index(r)].clock->end();
    ranks_[index(r)].held = false;
  }
  for (auto o = owners_.rbegin(); o != owners_.rend(); ++o)
    for (std::size_t l = 0; l < o->second.links.size(); ++l)
      while (arrive_from_below(o->second, l)) {}
}

bool simulation::anything() {
  const std::size_t kinds = 4, all = kinds * ranks_.size(), first = below(all);
  for (std::size_t i = 0; i < all; ++i) {
    const std::size_t chosen = (first + i) % all;
    const int r = static_cast<int>(chosen / kinds);
    const bool moved = chosen % kinds == 0   ? arrive_at_rank(r)
                       : chosen % kinds == 1 ? arrive_at_some_owner()
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

bool simulation::arrive_from_below(owner& o, std::size_t l) {
  std::deque<bytes>& queue = o.links[l]->up;
  if (queue.empty()) return false;
  const bytes body = queue.front();
  queue.pop_front();
  const auto tell = [&](auto& clock) {
    frame_reader frame(body);
    if (frame.type() == frame_type::answered) clock.answer(static_cast<int>(l), frame);
    else clock.receive(static_cast<int>(l), frame);
  };
  if (o.relay != nullptr) tell(*o.relay);
  else tell(*o.coordinator);
  if (below(2) == 0 || queue.empty()) settle(o);
  return true;
}

bool simulation::arrive_from_above(owner& o) {
  if (o.up == nullptr || o.up->down.empty()) return false;
  const bytes body = o.up->down.front();
  o.up->down.pop_front();
  frame_reader frame(body);
  if (frame.type() == frame_type::requested) o.relay->request(frame);
  else if (frame.type() == frame_type::line) o.relay->line();
  else o.relay->hear(frame);
  if (below(2) == 0 || o.up->down.empty()) settle(o);
  return true;
}

bool simulation::arrive_at_some_owner() {
  const std::size_t first = below(owners_.size());
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    owner& o = std::next(owners_.begin(), static_cast<std::ptrdiff_t>((first + i) % owners_.size()))->second;
    if (below(2) == 0 && arrive_from_above(o)) return true;
    const std::size_t link = below(o.links.size());
    for (std::size_t l = 0; l < o.links.size(); ++l)
      if (arrive_from_below(o, (link + l) % o.links.size())) return true;
    if (arrive_from_above(o)) return true;
  }
  return false;
}

void simulation::settle(owner& o) {
  if (o.relay != nullptr) o.relay->settle();
  else o.coordinator->settle();
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
