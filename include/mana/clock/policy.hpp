// The contract of a policy: how ranks agree on a recovery line.
//
// A policy is a class with
//
//   name                    the name for `mana run --clock NAME`
//   up, down                std::variants of its messages, from a rank to the coordinator and back
//   rank<Transport>         its part in every rank, made when the rank hears of a request: rank(Transport&, int rank)
//   coordinator<Transport>  its part in rank 0's process, made for a request: coordinator(Transport&, int ranks)
//
// Both parts live for one request, until the checkpoint is over or given up. They know nothing of earlier requests, and
// hosts (host.hpp) keep earlier messages from them. All members of a rank are called under one lock, all members of a
// coordinator by one thread.
//
// The host calls these members of a rank:
//   begin(counts)    first: how many collectives were started on each of its clocks. Every later start is asked for,
//                    and no earlier one
//   waits(peers)     threads of the rank wait for messages, or for receives to be posted, of these world ranks. The
//                    peers of all threads are together, ascending, without the rank itself. Empty: anyone. nullopt: no
//                    thread waits
//   start(c)         a thread would start collective c, the count-th on its clock. `hold`: it was not counted, and the
//                    thread asks again after the next message. `go`: the thread starts it at once
//   receive(m)       a message of the coordinator
// It may call send(const up&) of its transport: delivered to the coordinator in the order of the calls.
//
// The host calls these members of a coordinator:
//   receive(rank, m) a message of a rank
//   describe()       for people: a line of text for each rank that prevents the line
// It may call these members of its transport:
//   send(rank, const down&)   delivered to the rank in the order of the calls; only after the rank's first message
//   declare_line()            once: all ranks are at a recovery line. After it nobody starts a collective, and neither
//                             part is called, until the checkpoint is over
//
// A policy that combines (`static constexpr bool combines = true`) joins the messages of many ranks on their way to the
// coordinator, in a tree of relays (tree.hpp). A relay and the coordinator reach the ranks over links. Each link leads
// to a rank or to another relay, and so to all ranks of a range. Such a policy has a third part, and its coordinator
// another constructor:
//   coordinator<Transport>  coordinator(Transport&, std::span<const rank_range> links)
//   relay<Transport>        relay(Transport&, std::span<const rank_range> links)
// The host calls these members of a relay, and of such a coordinator:
//   receive(link, m)  a message of the rank or relay there
//   settle()          all messages that had come were delivered. Now the part sends, one message to each link, or
//                     declares the line
// and of a relay
//   hear(m)           a message from above
// A relay may call send(link, const down&) and send_up(const up&) of its transport. Order is kept on each link.
// Messages of a policy that does not combine pass through the tree unread.
//
// A policy guarantees: when the line is declared, each clock's count is the same on all of its members, and no rank
// starts a collective afterwards. The line is declared if the program would continue without the request. It must never
//   rule 1  act outside of a request: no code of a policy runs then, and nothing is sent. A collective costs one
//           increment and one load
//   rule 2  declare the line twice, or send after it
//   rule 3  send to a rank, or over a link, that has not been heard
//   rule 4  hold a collective after its trivial barrier, or ask for the barrier if it does not always ask
//
// A policy that always asks (`static constexpr bool always_asks = true`) has a trivial barrier of the members before
// each blocking collective, even without a request. It refuses non-blocking collectives. Outside of a request its hosts
// answer without it, so rule 1 holds. A rank's counts are then of the starts that went since its host was made. The
// call begin(counts, barriers) also says before which collectives threads of the rank are in the trivial barrier. In a
// request start(c) is called twice. Before the barrier, `synchronize` sends the thread into the barrier. After it
// (c.synchronized), the answer must be `go`, because others may be inside already. A thread in the barrier can be
// stopped at the line; a restart begins its barrier again.
//
// A message lists its members in a static `fields`, a tuple of pointers to members: numbers, group_name, group_count,
// rank_set, and vectors of these. All parts list their whole state in the same way, except the transport and the
// constructor's arguments: checkers copy and compare parts by it. Constructors send nothing.
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

/// A collective that a thread would start.
struct collective {
  group_name name{};
  std::uint64_t count = 0;     // the collective is the count-th on this clock
  const rank_set& members;
  bool blocking = true;        // its caller may wait for others
  bool waits_for_all = false;  // the caller certainly does not return before all members have started it
  bool synchronized = false;   // its trivial barrier is over
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
