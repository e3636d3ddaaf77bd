#include "rank_calls.hpp"

#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace clock_scale {

namespace {

/// happening, and its detail: a rank; an index; a rank and a slot; an address
constexpr int detail_bits = 56;
constexpr int slot_bits = 16;

std::uint64_t place(int rank, int slot) {
  return static_cast<std::uint64_t>(rank) << slot_bits | static_cast<std::uint64_t>(slot);
}

}  // namespace

mpi::mpi(event_queue& queue, clock_port& port, int ranks, mpi_costs costs)
    : queue_(queue), port_(port), costs_(costs), ranks_(static_cast<std::size_t>(ranks)) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  world_ = &new_communicator(groups_.of(std::move(all)));
}

void mpi::start(const body& program) {
  for (int r = 0; r < size(); ++r) {
    state(r).program = program(rank_calls(*this, r));
    resume_at(r, queue_.now());
  }
}

void mpi::push(nanoseconds time, happening what, std::uint64_t detail) {
  queue_.push(time, *this, static_cast<std::uint64_t>(what) << detail_bits | detail);
}

void mpi::resume_at(int rank, nanoseconds time) { push(time, happening::resume, static_cast<std::uint64_t>(rank)); }

void mpi::on_event(std::uint64_t what) {
  const std::uint64_t detail = what & ((1ull << detail_bits) - 1);
  switch (static_cast<happening>(what >> detail_bits)) {
    case happening::resume: resume(static_cast<int>(detail)); break;
    case happening::arrival: arrives(detail); break;
    case happening::done: complete(static_cast<int>(detail >> slot_bits), detail & ((1 << slot_bits) - 1)); break;
    case happening::over: is_over(*reinterpret_cast<collective_instance*>(detail)); break;
  }
}

void mpi::resume(int rank) {
  rank_state& s = state(rank);
  if (s.announced && s.quiesces) port_.wait_ends(rank);
  s.announced = false;
  s.waiting = nullptr;
  s.held = nullptr;
  s.program.resume();
  if (s.program.done()) ++ended_;
}

// ---- requests

int mpi::new_slot(int rank, request_slot::state now, message what) {
  std::vector<request_slot>& slots = state(rank).slots;
  const auto unused = std::find_if(slots.begin(), slots.end(), [](const request_slot& s) {
    return s.now == request_slot::state::unused;
  });
  const auto number = static_cast<int>(unused - slots.begin());
  if (unused == slots.end()) slots.emplace_back();
  slot(rank, number) = {now, false, what};
  return number;
}

bool mpi::is_done(int rank, request r) const {
  return r.slot == no_slot || state(rank).slots[static_cast<std::size_t>(r.slot)].now == request_slot::state::done;
}

message mpi::take(int rank, request r) {
  if (r.slot == no_slot) return {};
  request_slot& s = slot(rank, r.slot);
  s.now = request_slot::state::unused;
  return s.what;
}

void mpi::complete(int rank, int number) {
  request_slot& done = slot(rank, number);
  done.now = request_slot::state::done;
  if (!done.is_awaited) return;
  if (--state(rank).missing == 0) resume(rank);
  else announce_wait(rank);
}

void mpi::wait_in(int rank, wait_operation& operation) {
  rank_state& s = state(rank);
  s.waiting = &operation;
  for (const request r : operation.list()) {
    if (is_done(rank, r)) continue;
    slot(rank, r.slot).is_awaited = true;
    ++s.missing;
  }
  announce_wait(rank);
}

void mpi::begin_quiesce(int rank) {
  state(rank).quiesces = true;
  announce_wait(rank);
}

/// As the wrappers do: a wait for collectives alone is none for messages.
void mpi::announce_wait(int rank) {
  rank_state& s = state(rank);
  if (s.waiting == nullptr || !s.quiesces) return;
  std::vector<int> peers;
  bool for_anyone = false;
  for (const request r : s.waiting->list()) {
    if (r.slot == no_slot || !slot(rank, r.slot).is_message()) continue;
    const int peer = slot(rank, r.slot).what.source;
    if (peer == anyone) for_anyone = true;
    peers.push_back(peer);
  }
  if (peers.empty()) return;
  if (for_anyone) peers.clear();
  s.announced = true;
  port_.wait_begins(rank, peers);
}

// ---- messages

request mpi::post_send(int from, int to, int tag, std::int64_t value, std::int64_t bytes, bool synchronous) {
  const bool eager = !synchronous && bytes <= costs_.eager_bytes;
  envelope e{{from, tag, value}, bytes, to, no_slot};
  if (!eager) e.sender_slot = new_slot(from, request_slot::state::sending, {to, tag, 0});
  if (unused_.empty()) {
    unused_.push_back(under_way_.size());
    under_way_.emplace_back();
  }
  const std::uint64_t index = unused_.back();
  unused_.pop_back();
  under_way_[index] = e;
  push(queue_.now() + costs_.latency, happening::arrival, index);
  return {e.sender_slot};
}

request mpi::post_receive(int rank, int source, int tag) {
  rank_state& s = state(rank);
  const message wanted{source, tag, 0};
  const int made = new_slot(rank, request_slot::state::receiving, wanted);
  const auto found = std::find_if(s.unexpected.begin(), s.unexpected.end(),
                                  [&](const envelope& e) { return matches(wanted, e.what); });
  if (found == s.unexpected.end()) {
    s.posted.push_back(made);
  } else {
    const envelope e = *found;
    s.unexpected.erase(found);
    if (match(rank, made, e)) slot(rank, made).now = request_slot::state::done;
  }
  return {made};
}

void mpi::arrives(std::uint64_t index) {
  const envelope e = under_way_[index];
  unused_.push_back(index);
  rank_state& s = state(e.to);
  const auto found = std::find_if(s.posted.begin(), s.posted.end(),
                                  [&](int number) { return matches(slot(e.to, number).what, e.what); });
  if (found == s.posted.end()) {
    s.unexpected.push_back(e);
    return;
  }
  const int receive = *found;
  s.posted.erase(found);
  if (match(e.to, receive, e)) complete(e.to, receive);
}

/// Short messages come with their envelope, long ones when the sender has heard of the receive.
/// out: the message is here
bool mpi::match(int rank, int receive, const envelope& e) {
  request_slot& r = slot(rank, receive);
  r.now = request_slot::state::matched;
  r.what = e.what;
  const auto transfer = static_cast<nanoseconds>(static_cast<double>(e.bytes) * costs_.ns_per_byte);
  const bool is_long = e.bytes > costs_.eager_bytes;
  if (e.sender_slot != no_slot)
    push(queue_.now() + costs_.latency + (is_long ? transfer : 0), happening::done,
         place(e.what.source, e.sender_slot));
  const nanoseconds until = is_long ? 2 * costs_.latency + transfer : transfer;
  if (until != 0) push(queue_.now() + until, happening::done, place(rank, receive));
  return until == 0;
}

// ---- collectives

std::uint32_t& mpi::count_of(int rank, const group& g) {
  std::vector<counted_group>& counts = state(rank).counts;
  const auto found =
      std::find_if(counts.begin(), counts.end(), [&](const counted_group& c) { return c.group == g.index; });
  return found != counts.end() ? found->count : counts.emplace_back(counted_group{g.index, 0}).count;
}

/// INV-9: the count comes first, and is taken back by who is held.
bool mpi::try_start(int rank, const collective_call& call, request& started) {
  const group& g = *call.on->shared->of;
  std::uint32_t& count = count_of(rank, g);
  ++count;
  if (state(rank).quiesces) {
    const mana::clock::verdict v = port_.start(rank, {.name = g.name,
                                                      .count = count,
                                                      .members = g.members,
                                                      .blocking = call.blocking,
                                                      .waits_for_all = waits_for_all(call.kind)});
    if (v != mana::clock::verdict::go) {
      --count;
      return false;
    }
  }
  port_.started(rank, g.index, count);
  started = enter(rank, call);
  return true;
}

void mpi::hold_in(int rank, collective_operation& operation) { state(rank).held = &operation; }

void mpi::ask_again(int rank) {
  rank_state& s = state(rank);
  if (s.held == nullptr || !s.held->try_start()) return;
  collective_operation& started = *s.held;
  s.held = nullptr;
  if (started.may_go_on()) resume(rank);
  else wait_in(rank, started.wait());
}

request mpi::enter(int rank, const collective_call& call) {
  communicator& on = *call.on->shared;
  collective_instance& c = on.instance(call.on->next++, call.kind);
  ++c.entered;
  contribute(c, rank, call);
  const bool all_here = c.entered == on.of->size();
  const bool is_root = rank == call.root;
  if (call.kind == collective_kind::free) {
    c.over = on.freed = all_here;
    drop_finished(on);
    return {};
  }
  if (call.kind == collective_kind::from_root ? is_root : all_here) {
    const auto stages = std::bit_width(static_cast<unsigned>(on.of->size() - 1));
    c.over_at = queue_.now() + stages * costs_.hop;
    push(c.over_at, happening::over, reinterpret_cast<std::uint64_t>(&c));
  }
  const bool leaves_early = (call.kind == collective_kind::from_root && is_root) ||
                            (call.kind == collective_kind::to_root && !is_root);
  if (leaves_early) return {};
  const int made = new_slot(rank, request_slot::state::collective, {});
  if (!c.over) {
    c.waiters.push_back({rank, made});
    return {made};
  }
  slot(rank, made) = {request_slot::state::done, false, {anyone, 0, c.value}};
  drop_finished(on);
  return {made};
}

void mpi::contribute(collective_instance& c, int rank, const collective_call& call) {
  if (call.kind == collective_kind::split) c.parts.push_back({rank, static_cast<int>(call.value)});
  else if (call.kind != collective_kind::from_root) c.value += call.value;
  else if (rank == call.root) c.value = call.value;
}

void mpi::is_over(collective_instance& c) {
  c.over = true;
  if (c.kind == collective_kind::split) make_communicators(c);
  const std::vector<collective_instance::waiter> waiters = std::move(c.waiters);
  c.waiters.clear();
  for (const auto [rank, number] : waiters) {
    std::int64_t value = c.value;
    if (c.kind == collective_kind::split) {
      const auto mine = std::lower_bound(c.parts.begin(), c.parts.end(), rank,
                                         [](const split_part& p, int r) { return p.rank < r; });
      value = mine->color < 0 ? -1 : static_cast<std::int64_t>(mine->made);
    }
    slot(rank, number).what.value = value;
  }
  drop_finished(*c.on);  // and c may be
  for (const auto [rank, number] : waiters) complete(rank, number);
}

void mpi::make_communicators(collective_instance& c) {
  std::vector<split_part*> by_color;
  std::sort(c.parts.begin(), c.parts.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  for (split_part& p : c.parts) by_color.push_back(&p);
  std::stable_sort(by_color.begin(), by_color.end(), [](const auto* a, const auto* b) { return a->color < b->color; });
  for (auto first = by_color.begin(); first != by_color.end();) {
    const auto end = std::find_if(first, by_color.end(), [&](const auto* p) { return p->color != (*first)->color; });
    std::vector<int> ranks;
    for (auto p = first; p != end; ++p) ranks.push_back((*p)->rank);
    if ((*first)->color >= 0) {
      const std::uint32_t made = new_communicator(groups_.of(std::move(ranks))).index;
      for (auto p = first; p != end; ++p) (*p)->made = made;
    }
    first = end;
  }
}

communicator& mpi::new_communicator(group& of) {
  if (released_.empty()) {
    released_.push_back(static_cast<std::uint32_t>(communicators_.size()));
    communicators_.emplace_back().index = released_.back();
  }
  communicator& made = communicators_[released_.back()];
  released_.pop_back();
  made.of = &of;
  made.first_open = 0;
  made.freed = false;
  return made;
}

void mpi::drop_finished(communicator& c) {
  while (!c.open.empty() && c.open.front().over && c.open.front().entered == c.of->size()) {
    c.open.pop_front();
    ++c.first_open;
  }
  if (c.freed && c.open.empty()) released_.push_back(c.index);
}

comm mpi::communicator_at(std::int64_t index) {
  if (index < 0) return {};
  return {&communicators_[static_cast<std::size_t>(index)], 0};
}

}  // namespace clock_scale
