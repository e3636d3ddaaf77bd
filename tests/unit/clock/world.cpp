#include "world.hpp"

namespace clock_test {

world::world(script s, mutation m)
    : groups_(std::move(s.groups)), mutation_(m), coordinator_(down_, static_cast<int>(s.programs.size())) {
  down_.queues.resize(s.programs.size());
  down_.newest.resize(s.programs.size());
  for (auto& programs : s.programs) {
    auto made = std::make_unique<rank>();
    made->up = std::make_unique<up_queue>(up_queue{&mutation_, {}});
    made->clock = std::make_unique<rank_host<needs, up_queue>>(*made->up, static_cast<int>(ranks_.size()));
    made->counts.resize(groups_.size());
    for (program& p : programs) made->threads.push_back({std::move(p), 0, false, false, {}, 0});
    ranks_.push_back(std::move(made));
  }
  laziness_.assign(index(actors()), 0);
}

// ---- the coordinator's side

void world::down_queues::send(int r, const needs::down& m) {
  newest[index(r)] = std::get<needs::orders>(m).version;
  push(r, m);
}

/// The control sends its verdict on the same way as the clock's messages.
void world::conclude() {
  coordinator_.end();
  for (int r = 0; r < size(); ++r) down_.push(r, over{});
}

bool world::consistent() const {
  for (int g = 0; g < static_cast<int>(groups_.size()); ++g)
    for (const int m : groups_[index(g)])
      if (count(m, g) != count(groups_[index(g)].front(), g)) return false;
  return true;
}

// ---- messages

bool world::deliver_up(int r) {
  auto& queue = at(r).up->queue;
  if (queue.empty()) return false;
  upward message = queue.front();
  queue.pop_front();
  if (const auto* a = std::get_if<answered>(&message)) {
    coordinator_.answer(r, a->number);
    return true;
  }
  needs::up& told = std::get<needs::up>(message);
  if (mutation_.ignore_versions) std::get<needs::news>(told).version = down_.newest[index(r)];
  coordinator_.receive(r, told);
  coordinator_.settle();
  return true;
}

bool world::deliver_down(int r) {
  auto& queue = down_.queues[index(r)];
  if (queue.empty()) return false;
  const downward message = queue.front();
  queue.pop_front();
  rank& me = at(r);
  if (const auto* q = std::get_if<requested>(&message)) {
    if (me.released) begin(r, q->number);
    else me.pending_later = q->number;
  } else if (const auto* d = std::get_if<needs::down>(&message)) {
    const needs::orders& o = std::get<needs::orders>(*d);
    me.needed = (me.needed || o.needed.contains(r)) && !o.no_longer.contains(r);
    me.clock->receive(*d);
  } else if (std::holds_alternative<line_declared>(message)) {
    me.clock->line();
    me.in_checkpoint = true;
  } else {
    verdict_arrives(r);
  }
  return true;
}

void world::begin(int r, request_number number) {
  at(r).released = false;
  at(r).pending_later = 0;
  at(r).clock->begin(number, counts_of(r));
}

/// A rank that came to the line is released by its initial thread later; a request that comes before is kept, and is
/// forgotten if it is given up before it was answered.
void world::verdict_arrives(int r) {
  rank& me = at(r);
  me.pending_later = 0;
  me.needed = false;
  me.clock->end();
  if (!me.in_checkpoint) me.released = true;
}

bool world::release(int r) {
  rank& me = at(r);
  if (!me.in_checkpoint || me.clock->quiescing()) return false;    // the verdict has not come
  me.in_checkpoint = false;
  me.released = true;
  if (me.pending_later != 0) begin(r, me.pending_later);
  return true;
}

std::vector<group_count> world::counts_of(int r) const {
  std::vector<group_count> counts;
  for (int g = 0; g < static_cast<int>(groups_.size()); ++g) {
    const group& members = groups_[index(g)];
    if (members.contains(r)) counts.push_back({name_of(g), count(r, g), members});
  }
  return counts;
}

const std::deque<upward>& world::on_the_way_up(int r) const { return at(r).up->queue; }

// ---- programs

bool world::run(int r, int thread_index) {
  rank& me = at(r);
  if (static_cast<std::size_t>(thread_index) >= me.threads.size()) return false;
  thread& t = me.threads[index(thread_index)];
  if (t.next == t.steps.size() || me.in_checkpoint) return false;
  const op now = t.steps[t.next];
  switch (now.kind) {
    case 'S': ++channel_of(r, thread_index, now.a, now.thread).sent; return advance(t);
    case 'Y': return synchronous_send(r, thread_index, t, now);
    case 'R':
    case 'A': return receive(r, thread_index, t, now);
    default: return collective(r, t, now);
  }
}

bool world::advance(thread& t) {
  ++t.next;
  t.inside = false;
  return true;
}

/// Two steps: the start, which the clock may hold, and the end.
bool world::collective(int r, thread& t, op now) {
  rank& me = at(r);
  std::uint64_t& count = me.counts[index(now.a)];
  if (t.inside) return may_leave(now, count) && advance(t);
  if (t.held == me.clock->changes()) return false;
  t.held.reset();
  if (me.clock->start({name_of(now.a), count + 1, groups_[index(now.a)]}) == verdict::hold) {
    t.held = me.clock->changes();
    return false;
  }
  ++count;
  return t.inside = true;
}

bool world::may_leave(op now, std::uint64_t mine) const {
  const group& members = groups_[index(now.a)];
  if (now.kind == 'I') return true;
  if (now.kind == 'E') return count(members.front(), now.a) >= mine;
  return std::all_of(members.begin(), members.end(), [&](int m) { return count(m, now.a) >= mine; });
}

bool world::synchronous_send(int r, int thread_index, thread& t, op now) {
  channel& c = channel_of(r, thread_index, now.a, now.thread);
  if (!t.inside) {
    t.sent = ++c.sent;
    return t.inside = true;
  }
  if (c.received < t.sent) return wait(r, thread_index, t, {now.a});
  end_wait(r, thread_index, t);
  return advance(t);
}

bool world::receive(int r, int thread_index, thread& t, op now) {
  const bool anyone = now.kind == 'A';
  for (int sender = 0; sender < size() * max_threads; ++sender) {
    const int from = sender / max_threads, from_thread = sender % max_threads;
    channel& c = channel_of(from, from_thread, r, thread_index);
    if (c.sent == c.received || (!anyone && (from != now.a || from_thread != now.thread))) continue;
    ++c.received;
    end_wait(r, thread_index, t);
    return advance(t);
  }
  return wait(r, thread_index, t, anyone ? std::vector<int>{} : std::vector<int>{now.a});
}

bool world::wait(int r, int thread_index, thread& t, const std::vector<int>& peers) {
  if (t.waiting || (late_waits_ && !at(r).clock->quiescing())) return false;
  at(r).clock->wait_begins(static_cast<std::uint64_t>(thread_index), peers);
  return t.waiting = true;
}

void world::end_wait(int r, int thread_index, thread& t) {
  if (t.waiting) at(r).clock->wait_ends(static_cast<std::uint64_t>(thread_index));
  t.waiting = false;
}

bool world::ended(int r) const {
  const auto& threads = at(r).threads;
  return std::all_of(threads.begin(), threads.end(), [](const thread& t) { return t.next == t.steps.size(); });
}

bool world::all_ended() const {
  for (int r = 0; r < size(); ++r)
    if (!ended(r)) return false;
  return true;
}

// ---- schedules

int world::actors() const { return size() * (3 + max_threads); }

bool world::act(int actor) {
  const int r = actor % size(), what = actor / size();
  switch (what) {
    case 0: return deliver_up(r);
    case 1: return deliver_down(r);
    case 2: return release(r);
    default: return run(r, what - 3);
  }
}

void world::settle(int computing) {
  for (bool moved = true; moved;) {
    moved = false;
    for (int actor = 0; actor < actors(); ++actor) {
      const bool stays = actor % size() == computing && actor / size() >= 3;
      moved = (!stays && act(actor)) || moved;
    }
  }
}

bool world::any(std::mt19937& chance) {
  const int n = actors(), first = static_cast<int>(chance() % static_cast<unsigned>(n));
  for (int i = 0; i < n; ++i) {
    const int actor = (first + i) % n;
    if (chance() % 8 >= laziness_[index(actor)] && act(actor)) return true;
  }
  for (int actor = 0; actor < n; ++actor)
    if (act(actor)) return true;
  return false;
}

void world::choose_laziness(std::mt19937& chance) {
  for (unsigned& l : laziness_) l = static_cast<unsigned>(chance() % 8);
}

}  // namespace clock_test
