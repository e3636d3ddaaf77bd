// The contract of a policy: how ranks agree on a recovery line.
//
// A policy is a class with
//
//   name                    what `mana run --clock NAME` calls it
//   up, down                std::variants of its messages, from a rank to the coordinator and back
//   rank<Transport>         its part in every rank, made when the rank hears of a request: rank(Transport&, int rank)
//   coordinator<Transport>  its part in rank 0's process, made for a request: coordinator(Transport&, int ranks)
//
// Both live for one request: from its beginning until the checkpoint is over or given up, and know nothing of earlier
// ones. They hear of nothing from before their request: hosts (host.hpp) see to it. All members of a rank are called
// under one lock, all of a coordinator by one thread.
//
// A rank is told
//   begin(counts)    first: how many collectives were started on each of its clocks. Every later start is asked for,
//                    and no earlier one
//   waits(peers)     that threads of it wait for messages (or for receives to be posted) of these world ranks,
//                    ascending, all threads' together, without itself; of anyone if empty; nullopt: that none does
//   start(c)         that a thread would start collective c, which is the count-th on its clock. `hold`: it was not
//                    counted, and asks again after the next message. `go`: it starts it at once
//   receive(m)       a message of the coordinator
// and may ask its transport to send(const up&): delivered to the coordinator in the order of the calls.
//
// A coordinator is told
//   receive(rank, m) a message of a rank
//   describe()       for people: a line of text for each rank that keeps the line from being declared
// and may ask its transport to
//   send(rank, const down&)   delivered to the rank in the order of the calls; not before its first message came
//   declare_line()            once: all ranks are at a recovery line. From then on nobody starts a collective, and
//                             neither side is told anything more, until the checkpoint is over
//
// A policy that combines (`static constexpr bool combines = true`) lets the messages of many ranks become one on their
// way to the coordinator, through a tree of relays (tree.hpp). To a relay, and to the coordinator, the ranks are
// behind links: each leads to a rank or to another relay, and so to all ranks of a range. It has a third part, and its
// coordinator another constructor:
//   coordinator<Transport>  coordinator(Transport&, std::span<const rank_range> links)
//   relay<Transport>        relay(Transport&, std::span<const rank_range> links)
// A relay, and such a coordinator, is told
//   receive(link, m)  a message of the rank or relay there
//   settle()          that all that had come was delivered. What there is to say is said now, in one message per link;
//                     the line is declared now
// and a relay
//   hear(m)           a message from above
// which may ask its transport to send(link, const down&), and to send_up(const up&). Order is kept on each link.
// Messages of a policy that does not combine pass through the tree unread.
//
// What a policy owes: when the line is declared, each clock's count is the same on all of its members and no rank
// starts a collective after; it is declared if the program would go on without the request. What it must never do:
//   rule 1  speak outside of a request: nothing is asked of the transport when there is none. No code of a policy
//           runs then: a collective costs one increment and one load
//   rule 2  declare the line twice, or send after it
//   rule 3  send to a rank, or over a link, that has not been heard
//   rule 4  hold a collective after its trivial barrier, or ask for the barrier without being one that always asks
//
// A policy that always asks (`static constexpr bool always_asks = true`) is one that has a trivial barrier of the
// members before each blocking collective, also when there is no request, and refuses non-blocking ones. Its hosts say
// so without it: rule 1 holds. A rank's counts are then of starts that went, since its host was made, and
// begin(counts, barriers) also tells before which collectives threads of it are in the trivial barrier. In a request
// its start(c) is asked before the barrier, where `synchronize` sends the thread into it, and after it
// (c.synchronized), where it has to go: others may be inside already. A thread in the barrier can be stopped at the
// line; a restart begins its barrier anew.
//
// A message lists its members in a static `fields`, a tuple of pointers to members: numbers, group_name, group_count,
// rank_set, and vectors of these. So do all parts, for all of their state but the transport and what constructors are
// given: checkers copy and compare them by it. The constructors say nothing.
#pragma once
#include <mana/clock/fields.hpp>
#include <mana/clock/message.hpp>

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mana::clock {

/// One that a thread would start.
struct collective {
  group_name name{};
  std::uint64_t count = 0;     // it is the count-th on this clock
  const rank_set& members;
  bool blocking = true;        // its caller may have to wait for others
  bool waits_for_all = false;  // it is sure that the caller does not return before all members have started it
  bool synchronized = false;   // the trivial barrier before it is over
};

template <class P>
inline constexpr bool always_asks = [] {
  if constexpr (requires { P::always_asks; }) return P::always_asks;
  else return false;
}();

template <class P>
inline constexpr bool combines = [] {
  if constexpr (requires { P::combines; }) return P::combines;
  else return false;
}();

/// peers of all threads that wait; empty: anyone; nullopt: no thread waits
using wait_set = std::optional<std::vector<int>>;

template <class Policy>
struct rank_probe {
  void send(const typename Policy::up&);
};
template <class Policy>
struct coordinator_probe {
  void send(int, const typename Policy::down&);
  void declare_line();
};
template <class Policy>
struct relay_probe {
  void send(int, const typename Policy::down&);
  void send_up(const typename Policy::up&);
};

template <class P, class Rank = typename P::template rank<rank_probe<P>>>
concept begins_as_told =
    (always_asks<P> && requires(Rank& r, std::vector<group_count> counts) { r.begin(counts, counts); }) ||
    (!always_asks<P> && requires(Rank& r, std::vector<group_count> counts) { r.begin(counts); });

template <class P>
concept relays_as_told = !combines<P> || requires(typename P::template relay<relay_probe<P>>& r,
                                                  typename P::template coordinator<coordinator_probe<P>>& c,
                                                  const typename P::up& up, const typename P::down& down) {
  requires with_fields<typename P::template relay<relay_probe<P>>>;
  r.receive(0, up);
  r.hear(down);
  r.settle();
  c.settle();
};

template <class P>
concept policy = requires(typename P::template rank<rank_probe<P>>& r,
                          typename P::template coordinator<coordinator_probe<P>>& c, const typename P::up& up,
                          const typename P::down& down, const collective& next, wait_set waits) {
  { P::name } -> std::convertible_to<std::string_view>;
  requires with_fields<typename P::template rank<rank_probe<P>>>;
  requires with_fields<typename P::template coordinator<coordinator_probe<P>>>;
  r.waits(waits);
  r.receive(down);
  { r.start(next) } -> std::same_as<verdict>;
  c.receive(0, up);
  { c.describe() } -> std::same_as<std::string>;
} && begins_as_told<P> && relays_as_told<P>;

}  // namespace mana::clock
