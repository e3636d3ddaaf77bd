// The program's steps.
#pragma once
#include "world.hpp"

namespace clock_model {

template <mana::clock::policy P>
bool world<P>::take(const step& s) {
  new_line_ = false;
  switch (s.what) {
    case step::run: return run(s.rank, s.sender);
    case step::waits: return waits(s.rank);
    case step::up: return deliver_up(s.rank);
    case step::down: return deliver_down(s.rank);
    case step::settle: return settle(s.rank);
    case step::release: return release(s.rank);
    case step::give_up: return give_up();
  }
  return false;
}

template <mana::clock::policy P>
void world<P>::steps(std::vector<step>& out) const {
  out.clear();
  for (int r = 0; r < size(); ++r) {
    const task& t = doing(r);
    if (const op* o = next_op(r); o != nullptr && may_run(r)) {
      if (o->what == act::recv_any && t.where == stage::inside) {
        for (int s = 0; s < size(); ++s)
          if (doing(s).sent[index(r)] > t.posted[index(s)]) out.push_back({step::run, r, s});
      } else if (t.where == stage::synchronizing) {
        if (is_barrier_over(r)) out.push_back({step::run, r});
      } else if (t.where != stage::inside || is_done(r, t.current)) {
        if (!is_held(r)) out.push_back({step::run, r});
      }
      if (!t.waiting && is_quiescing(r) && t.where == stage::inside && !is_collective(o->what) &&
          !(o->what == act::wait && t.current.what == act::icoll))
        out.push_back({step::waits, r});
    }
    if (t.in_checkpoint && !is_quiescing(r) && t.where != stage::counted) out.push_back({step::release, r});
  }
  for (int c = 0; c < network_->children(); ++c) {
    if (!going_up(c).empty()) out.push_back({step::up, c});
    if (!coming_down(c).empty()) out.push_back({step::down, c});
  }
  for (int h = 0; h <= network_->relays(); ++h)
    if ((unsettled_ >> h & 1) != 0) out.push_back({step::settle, h});
  if (under_way_ && how_->plan[index(planned_ - 1)] == 'a') out.push_back({step::give_up, 0});
  if (!how_->slow_computing) return;
  const auto computes = [&](const step& s) { return s.what == step::run && next_op(s.rank)->what == act::compute; };
  if (!std::all_of(out.begin(), out.end(), computes)) std::erase_if(out, computes);
}

/// A rank that came to the line stands, but for a collective that it has counted or entered. In a trivial barrier it
/// is stopped too. It would go on only if others came to the barrier after the checkpoint, which ends when all have
/// come to the line: so what it does before it hears of the line is nothing.
template <mana::clock::policy P>
bool world<P>::may_run(int r) const {
  const task& t = doing(r);
  if (t.where == stage::synchronizing) return !t.under_line && !t.in_checkpoint;
  if (!t.in_checkpoint) return true;
  return t.where == stage::counted || (t.where == stage::inside && is_collective(next_op(r)->what));
}

/// A request may still come to the rank, or a message of one.
template <mana::clock::policy P>
bool world<P>::has_control(int r) const {
  return under_way_ || !coming_down(r).empty() || !going_up(r).empty() || has_relayed();
}

template <mana::clock::policy P>
bool world<P>::run(int r, int sender) {
  const op* o = next_op(r);
  if (o == nullptr || !may_run(r)) return false;
  const stage where = doing(r).where;
  if (where == stage::synchronizing && !is_barrier_over(r)) return false;
  if (is_collective(o->what) && where != stage::inside) return start_collective(r, *o);
  if (where == stage::inside) return complete(r, *o, sender);
  begin_op(edit(r).doing, *o);
  if (is_lock(o->what)) take_place(r, *o);
  if (o->what == act::unlock) leave_lock(r, o->with);
  if (o->what == act::compute || o->what == act::send || o->what == act::isend || o->what == act::irecv ||
      o->what == act::unlock)
    advance(r);
  return true;
}

/// Everything but a collective. A receive is posted, a message is sent.
template <mana::clock::policy P>
void world<P>::begin_op(task& t, const op& o) {
  started_op s{o.what, o.with, 0};
  switch (o.what) {
    case act::send:
    case act::ssend:
    case act::isend: s.index = ++t.sent[index(o.with)]; break;
    case act::recv:
    case act::irecv: s.index = ++t.posted[index(o.with)]; break;
    case act::wait: s = t.slots[index(o.slot)]; break;
    default: break;
  }
  t.where = stage::inside;
  if (o.what == act::isend || o.what == act::irecv) t.slots[index(o.slot)] = s;
  else t.current = s;
}

/// A place in a lock's queue: it is behind those who asked before and exclude it. The words of a lock have numbers in
/// the place of this set (docs/design/rma.md).
template <mana::clock::policy P>
void world<P>::take_place(int r, const op& o) {
  unsigned before = 0;
  for (int other = 0; other < size(); ++other) {
    const act has = doing(other).has[index(o.with)];
    if (other != r && has != act::unlock && (has == act::lock || o.what == act::lock)) before |= 1u << other;
  }
  task& t = edit(r).doing;
  t.has[index(o.with)] = o.what;
  t.behind[index(o.with)] = before;
}

template <mana::clock::policy P>
void world<P>::leave_lock(int r, int lock) {
  task& t = edit(r).doing;
  t.has[index(lock)] = act::unlock;
  if (how_->faults.unlock_counted) ++t.counts[0];
  for (int other = 0; other < size(); ++other)
    if ((doing(other).behind[index(lock)] >> r & 1) != 0) edit(other).doing.behind[index(lock)] &= ~(1u << r);
}

/// Before a request is heard, a start is counted without asking anyone; asking comes later (INV-18). The start of one
/// that asks is counted and judged at once, under a lock: all are where the policy always asks.
template <mana::clock::policy P>
bool world<P>::start_collective(int r, const op& o) {
  if (!mana::clock::always_asks<P> && doing(r).where == stage::before && !is_quiescing(r) && how_->split_starts &&
      has_control(r)) {
    task& t = edit(r).doing;
    if (t.under_line) fault_ = fault::start_after_line;
    t.counts[index(o.with)] += how_->counts_of(o, program_->groups, r);
    t.where = stage::counted;
    if (!same_kinds(r, o)) fault_ = fault::kinds_differ;
    return true;
  }
  return enter(r, o);
}

template <mana::clock::policy P>
bool world<P>::enter(int r, const op& o) {
  const bool is_counted = doing(r).where == stage::counted;
  if (doing(r).asked) return false;
  const shared_part<process<P>> old = rank_[index(r)];
  process<P>& p = edit(r);
  std::uint64_t& count = p.doing.counts[index(o.with)];
  const std::uint64_t one = how_->counts_of(o, program_->groups, r);
  if (!is_counted) count += one;
  const bool is_root = program_->groups[index(o.with)][0] == r;
  const mana::clock::rank_set members(program_->groups[index(o.with)]);
  const verdict v = p.host.start({.name = clock_name(o.with),
                                  .count = clock_count(r, o.with),
                                  .members = members,
                                  .blocking = o.what != act::icoll,
                                  .waits_for_all = o.what == act::sync || o.what == act::fence || (o.what == act::reduce && is_root),
                                  .synchronized = p.doing.where == stage::synchronizing});
  if (v == verdict::synchronize || v == verdict::refuse) {
    count -= one;
    if (v == verdict::refuse) fault_ = fault::refused;
    else if (p.doing.under_line) fault_ = fault::start_after_line;
    p.doing.where = stage::synchronizing;
    flush(r);
    return true;
  }
  if (v == verdict::hold) {
    if (is_counted && p.doing.under_line && !how_->faults.held_is_counted) fault_ = fault::start_after_line;
    if (!how_->faults.held_is_counted) count -= one;
    else p.doing.asked = true;
    p.doing.where = stage::before;
    const bool spoke = !p.to_coordinator.out.empty(), asks_again = !how_->faults.never_asks_again;
    if (!is_counted && !spoke && asks_again && rank_[index(r)].hash() == old.hash()) {
      rank_[index(r)] = old;
      old->would_be = verdict::hold;
      return false;
    }
    p.doing.asked = true;
    rank_[index(r)].edit();
    flush(r);
    return true;
  }
  if (!is_counted && p.doing.under_line) fault_ = fault::start_after_line;
  p.doing.current = {o.what, o.with, count};
  p.doing.where = stage::inside;
  const std::uint64_t mine = count;
  flush(r);
  if (!same_kinds(r, o)) fault_ = fault::kinds_differ;
  if (o.what != act::icoll) return true;
  edit(r).doing.slots[index(o.slot)] = {o.what, o.with, mine};
  advance(r);
  return true;
}

/// All members have come to the trivial barrier that the rank is in, or were in it and went on.
template <mana::clock::policy P>
bool world<P>::is_barrier_over(int r) const {
  const int g = next_op(r)->with;
  const std::uint64_t n = doing(r).counts[index(g)] + 1;
  const group& members = program_->groups[index(g)];
  return std::all_of(members.begin(), members.end(), [&](int m) {
    const bool is_in = doing(m).where == stage::synchronizing && next_op(m)->with == g;
    return doing(m).counts[index(g)] + (is_in ? 1u : 0u) >= n;
  });
}

/// The k-th collective on a group is of one kind on all members, as far as they have come: else it is no program.
template <mana::clock::policy P>
bool world<P>::same_kinds(int r, const op& o) const {
  const auto nth = [&](int rank, std::uint64_t n) -> const op* {
    for (const op& other : program_->ranks[index(rank)])
      if (is_collective(other.what) && other.with == o.with && --n == 0) return &other;
    return nullptr;
  };
  const std::uint64_t n = doing(r).counts[index(o.with)];
  for (const int m : program_->groups[index(o.with)])
    if (const op* other = nth(m, n); other != nullptr && other->what != o.what) return false;
  return true;
}

template <mana::clock::policy P>
bool world<P>::complete(int r, const op& o, int sender) {
  if (o.what == act::recv_any) {
    if (sender < 0 || doing(sender).sent[index(r)] <= doing(r).posted[index(sender)]) return false;
    ++edit(r).doing.posted[index(sender)];
  } else if (!is_done(r, doing(r).current)) {
    return false;
  }
  if (o.what == act::make) edit(r).doing.exists[index(o.slot)] = true;
  advance(r);
  return true;
}

template <mana::clock::policy P>
void world<P>::advance(int r) {
  process<P>& p = edit(r);
  task& t = p.doing;
  const op& o = *next_op(r);
  if (o.what == act::wait) t.slots[index(o.slot)] = {};
  if (std::exchange(t.waiting, false) && !how_->faults.wait_ends_untold) p.host.wait_ends(0);
  t.current = {};
  t.where = stage::before;
  ++t.next;
  flush(r);
}

template <mana::clock::policy P>
bool world<P>::is_done(int r, const started_op& o) const {
  switch (o.what) {
    case act::recv:
    case act::irecv: return doing(o.with).sent[index(r)] >= o.index;
    case act::ssend:
    case act::isend: return doing(o.with).posted[index(r)] >= o.index;
    case act::recv_any: return true;
    case act::lock:
    case act::share: return doing(r).behind[index(o.with)] == 0 && !(how_->faults.parks_before_it_looks && is_quiescing(r));
    default: return !is_collective(o.what) || may_leave(r, o);
  }
}

template <mana::clock::policy P>
bool world<P>::may_leave(int r, const started_op& o) const {
  const group& members = program_->groups[index(o.with)];
  const auto all = [&] {
    return std::all_of(members.begin(), members.end(), [&](int m) { return entered(m, o.with) >= o.index; });
  };
  if (o.what == act::free) return true;
  if (o.what == act::rooted) return r == members[0] || entered(members[0], o.with) >= o.index;
  if (o.what == act::reduce) return r != members[0] || all();
  return all();
}

template <mana::clock::policy P>
std::uint64_t world<P>::entered(int r, int g) const {
  const task& t = doing(r);
  return t.counts[index(g)] - (t.where == stage::counted && next_op(r)->with == g ? 1u : 0u);
}

template <mana::clock::policy P>
bool world<P>::waits(int r) {
  process<P>& p = edit(r);
  p.doing.waiting = true;
  const bool untold = how_->faults.waits_untold || (how_->faults.lock_waits_untold && is_lock(p.doing.current.what));
  if (!untold) p.host.wait_begins(0, peers_of(r));
  flush(r);
  return true;
}

template <mana::clock::policy P>
std::vector<int> world<P>::peers_of(int r) const {
  const started_op& o = doing(r).current;
  if (is_lock(o.what)) return holders_to_tell(r, o.with);
  return o.what == act::recv_any ? std::vector<int>{} : std::vector<int>{o.with};
}

/// Whom a rank needs that waits for a lock. The words of a lock have no names: so it is all others.
template <mana::clock::policy P>
std::vector<int> world<P>::holders_to_tell(int r, int lock) const {
  const unsigned before = doing(r).behind[index(lock)];
  std::vector<int> all;
  for (int other = 0; other < size(); ++other) {
    const bool is_before = (before >> other & 1) != 0, has_it = is_before && doing(other).behind[index(lock)] == 0;
    const bool waits_too = is_before && !has_it;
    if (other == r || (how_->faults.holder_only && !has_it) || (how_->faults.last_before_only && !waits_too)) continue;
    all.push_back(other);
  }
  return all.empty() ? std::vector<int>{r} : all;        // no one at all would be anyone
}

}  // namespace clock_model
