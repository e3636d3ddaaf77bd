// Requests, and the messages between ranks and the coordinator.
#pragma once
#include "world.hpp"

namespace clock_model {

template <mana::clock::policy P>
void world<P>::request() {
  ++planned_;
  ++request_no_;
  under_way_ = true;
  auto& host = control_.edit().host;
  host.request();
  if (how_->faults.heard_before_answer)
    for (int l = 0; l < static_cast<int>(network_->hubs.front().links.size()); ++l) host.answer(l, request_no_);
  flush_hub(0);
}

/// The checkpoint's end, or that it is given up, and the next request if there is one to come.
template <mana::clock::policy P>
void world<P>::conclude() {
  control_.edit().host.end();
  for (const int c : network_->hubs.front().children) down_[index(c)].edit().queue.push_back(over{});
  under_way_ = false;
  unsettled_ &= ~1u;
  if (index(planned_) < how_->plan.size()) request();
}

/// An answer and what was said with it are one step: only messages of this child ask whether it has answered.
template <mana::clock::policy P>
template <class Host>
void world<P>::hear(Host& host, int child) {
  const int link = network_->link_of[index(child)];
  auto& queue = up_[index(child)].edit().queue;
  while (!queue.empty() && std::holds_alternative<answered>(queue.front())) {
    host.answer(link, how_->faults.old_answers_pass ? request_no_ : std::get<answered>(queue.front()).number);
    queue.erase(queue.begin());
  }
  if (queue.empty()) return;
  const auto message = std::get<typename P::up>(queue.front());
  queue.erase(queue.begin());
  host.receive(link, message);
}

template <mana::clock::policy P>
bool world<P>::deliver_up(int child) {
  if (going_up(child).empty()) return false;
  const int h = network_->hub_of[index(child)];
  if (h == 0) hear(control_.edit().host, child);
  else if constexpr (mana::clock::combines<P>) hear(relay_[index(h - 1)].edit().host, child);
  if (!how_->batches) return settle(h);
  unsettled_ |= 1u << h;
  return true;
}

template <mana::clock::policy P>
bool world<P>::settle(int h) {
  unsettled_ &= ~(1u << h);
  if (h != 0) {
    if constexpr (mana::clock::combines<P>) relay_[index(h - 1)].edit().host.settle();
    flush_hub(h);
    return true;
  }
  control_.edit().host.settle();
  flush_hub(0);
  if (!under_way_ || !control_->host.done()) return true;
  ++lines_;
  new_line_ = true;
  if (!is_line_safe()) fault_ = fault::unequal_line;
  for (int m = 0; m < size(); ++m) edit(m).doing.under_line = true;
  conclude();
  return true;
}

/// Counts are equal, and all who are counted on the last collective will enter it. INV-22: no trivial barrier is over.
template <mana::clock::policy P>
bool world<P>::is_line_safe() const {
  for (std::size_t g = 0; g < program_->groups.size(); ++g)
    for (const int m : program_->groups[g])
      if (doing(m).counts[g] != doing(program_->groups[g][0]).counts[g]) return false;
  for (int r = 0; r < size(); ++r)
    if (doing(r).where == stage::synchronizing && is_barrier_over(r)) return false;
  return true;
}

template <mana::clock::policy P>
bool world<P>::deliver_down(int r) {
  if (coming_down(r).empty()) return false;
  const downward<P> message = coming_down(r).front();
  auto& queue = down_[index(r)].edit().queue;
  queue.erase(queue.begin());
  if (network_->is_relay(r)) return deliver_to_relay(network_->hub_at(r), message);
  process<P>& p = edit(r);
  if (!how_->faults.never_asks_again) p.doing.asked = false;
  if (const auto* q = std::get_if<requested>(&message)) {
    if (p.doing.released) begin(r, q->number);
    else p.doing.pending_later = how_->faults.later_request_lost ? 0 : q->number;
  } else if (const auto* m = std::get_if<typename P::down>(&message)) {
    p.host.receive(*m);
  } else if (std::holds_alternative<line_declared>(message)) {
    if (!how_->faults.late_line) p.host.line();
    p.doing.in_checkpoint = true;
  } else {
    end_arrives(r);
  }
  flush(r);
  return true;
}

template <mana::clock::policy P>
bool world<P>::deliver_to_relay(int h, const downward<P>& message) {
  if constexpr (mana::clock::combines<P>) {
    auto& host = relay_[index(h - 1)].edit().host;
    if (const auto* q = std::get_if<requested>(&message)) {
      host.request(q->number);
    } else if (const auto* m = std::get_if<typename P::down>(&message)) {
      host.hear(*m);
      if (!how_->batches) return settle(h);
      unsettled_ |= 1u << h;
    } else if (std::holds_alternative<line_declared>(message)) {
      host.line();
    } else {
      host.end();
      unsettled_ &= ~(1u << h);
      flush_hub(h);
      for (const int c : network_->hubs[index(h)].children) down_[index(c)].edit().queue.push_back(over{});
    }
  }
  flush_hub(h);
  return true;
}

template <mana::clock::policy P>
void world<P>::begin(int r, request_number number) {
  process<P>& p = edit(r);
  p.doing.released = false;
  p.doing.pending_later = 0;
  p.doing.began_at = p.doing.started();
  p.host.begin(number, counts_of(r));
}

/// A rank that came to the line is released by its initial thread later; a request that comes before is kept, and is
/// forgotten if it is given up before it was answered.
template <mana::clock::policy P>
void world<P>::end_arrives(int r) {
  process<P>& p = edit(r);
  p.doing.pending_later = 0;
  p.doing.under_line = false;
  p.doing.began_at = -1;
  if (!how_->faults.end_unheard) p.host.end();
  if (!p.doing.in_checkpoint) p.doing.released = true;
}

template <mana::clock::policy P>
bool world<P>::release(int r) {
  process<P>& p = edit(r);
  if (how_->faults.place_taken_again && p.doing.where == stage::inside && is_lock(p.doing.current.what))
    p.doing.behind[index(p.doing.current.with)] |= 1u << r;
  p.doing.in_checkpoint = false;
  p.doing.released = true;
  if (!how_->faults.never_asks_again) p.doing.asked = false;
  if (p.doing.pending_later != 0) begin(r, p.doing.pending_later);
  flush(r);
  return true;
}

template <mana::clock::policy P>
bool world<P>::give_up() {
  conclude();
  return true;
}

/// The clock that counts a group's collectives: by the first group that it counts for.
template <mana::clock::policy P>
int world<P>::clock_of(int g) const {
  if (!how_->faults.one_clock_for_equal_groups) return g;
  return static_cast<int>(std::find(program_->groups.begin(), program_->groups.end(), program_->groups[index(g)]) -
                          program_->groups.begin());
}

template <mana::clock::policy P>
mana::clock::group_name world<P>::clock_name(int g) const {
  const std::uint64_t name = static_cast<std::uint64_t>(clock_of(g)) + 1;
  return {name, 7 * name};
}

template <mana::clock::policy P>
std::uint64_t world<P>::clock_count(int r, int g) const {
  if (!how_->faults.one_clock_for_equal_groups) return doing(r).counts[index(g)];
  std::uint64_t all = 0;
  for (int other = 0; other < static_cast<int>(program_->groups.size()); ++other)
    if (clock_of(other) == clock_of(g)) all += doing(r).counts[index(other)];
  return all;
}

template <mana::clock::policy P>
std::vector<mana::clock::group_count> world<P>::counts_of(int r) const {
  std::vector<mana::clock::group_count> counts;
  const task& t = doing(r);
  for (int g = 0; g < static_cast<int>(program_->groups.size()); ++g) {
    const group& members = program_->groups[index(g)];
    if (!t.exists[index(g)] || std::find(members.begin(), members.end(), r) == members.end()) continue;
    if (clock_of(g) != g) continue;
    const bool left_out = how_->faults.counts_too_early && t.where == stage::counted && next_op(r)->with == g;
    counts.push_back({clock_name(g), clock_count(r, g) - (left_out ? 1 : 0), members});
  }
  return counts;
}

}  // namespace clock_model
