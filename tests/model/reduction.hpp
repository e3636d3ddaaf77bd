// Which step may be taken alone.
//
// A step of this kind is a left mover: as soon as it can happen it stays possible until it happens, and it changes
// places with every step of others that comes before it, with the same outcome. So each execution is matched by one in
// which it happens at once, with the same lines at the same counts, and the same ends. No such step can follow another
// for ever: each moves the program on or takes a message off a lane that only the coordinator fills.
//
//   - computing, sending, posting a receive: these only add to numbers that others compare with >=; nobody's step
//     becomes impossible or different. (Telling a wait is possible whether or not the message is there, so sends do not
//     disable it.) A line or a request that comes to the rank in between meets the same counts.
//   - giving a lock back: whoever asks for it later is not behind this rank, and who asked before no longer is. Asking for
//     a lock is none: the order of those who ask matters. Having got it is as the end of another wait.
//   - leaving a collective that may be left, or waiting for a non-blocking one: members' entries only grow, and the
//     host is not asked.
//   - the end of an operation that waits, where no request can come to the rank any more: no host observes it.
//   - a message that comes to a rank whose program can do nothing before it: one that has ended, that is held (what it
//     is told decides, nothing else), or that stands at the line until its end has come. What it answers goes to the
//     end of its own lane, of which the coordinator takes the beginning.
//   - the release of a rank for which nothing is under way.
//   - a request, or a line, that comes to a relay: it passes it on. What its links say before they have answered it does
//     not hear, and after a line they say nothing.
#pragma once
#include "world.hpp"

namespace clock_model {

template <mana::clock::policy P>
bool world<P>::is_held(int r) const {
  const process<P>& p = *rank_[index(r)];
  const op* o = next_op(r);
  if (o == nullptr || !is_collective(o->what) || p.doing.where != stage::before) return false;
  if (p.doing.asked) return true;
  if (!p.host.quiescing() || p.doing.in_checkpoint) return false;
  if (p.would_be) return *p.would_be == verdict::hold;
  world copy = *this;
  if (copy.enter(r, *o)) p.would_be = verdict::go;       // or it is held with an effect: that is a step
  return p.would_be == verdict::hold;
}

/// No reduction, but fewer schedules: how a policy does if its messages are faster than the program.
template <mana::clock::policy P>
std::optional<step> world<P>::prompt_step() const {
  for (int c = 0; c < network_->children(); ++c) {
    if (!going_up(c).empty()) return step{step::up, c};
    if (!coming_down(c).empty() && (network_->is_relay(c) || !std::holds_alternative<requested>(coming_down(c).front())))
      return step{step::down, c};
  }
  for (int h = 0; h <= network_->relays(); ++h)
    if ((unsettled_ >> h & 1) != 0) return step{step::settle, h};
  return std::nullopt;
}

template <mana::clock::policy P>
std::optional<step> world<P>::solo() const {
  if (how_->prompt)
    if (const auto s = prompt_step()) return s;
  return how_->reduce ? left_mover() : std::nullopt;
}

/// When a rank heard the request is left out, as it only measures, and differs where it had sent something before.
template <mana::clock::policy P>
hash128 world<P>::settled_hash() const {
  world at = *this;
  while (const auto s = at.left_mover()) at.take(*s);
  for (int r = 0; r < size(); ++r)
    if (at.doing(r).began_at != -1) at.edit(r).doing.began_at = 0;
  return at.hash();
}

template <mana::clock::policy P>
std::optional<step> world<P>::left_mover() const {
  for (int c = size(); c < network_->children(); ++c) {
    if (coming_down(c).empty()) continue;
    const downward<P>& next = coming_down(c).front();
    if (std::holds_alternative<requested>(next) || std::holds_alternative<line_declared>(next))
      return step{step::down, c};
  }
  for (int r = 0; r < size(); ++r) {
    const task& t = doing(r);
    const op* o = next_op(r);
    const bool some_come = !coming_down(r).empty();
    if (o == nullptr) {
      if (some_come && (is_quiescing(r) || !t.in_checkpoint)) return step{step::down, r};
    } else if (may_run(r)) {
      const bool is_inside = t.where == stage::inside;
      if (is_collective(o->what)) {
        if (is_inside && may_leave(r, t.current)) return step{step::run, r};
        if (some_come && is_held(r)) return step{step::down, r};
      } else if (!is_inside && !is_lock(o->what) && !(how_->slow_computing && o->what == act::compute)) {
        return step{step::run, r};
      } else if (!is_inside) {
        continue;
      } else if (t.current.what == act::icoll) {
        if (is_done(r, t.current)) return step{step::run, r};
      } else if (!has_control(r) && !is_quiescing(r) && o->what != act::recv_any && is_done(r, t.current)) {
        return step{step::run, r};
      }
    }
    if (t.in_checkpoint && t.where != stage::counted) {
      if (is_quiescing(r) && some_come) return step{step::down, r};
      if (!is_quiescing(r) && !has_control(r)) return step{step::release, r};
    }
  }
  return std::nullopt;
}

}  // namespace clock_model
