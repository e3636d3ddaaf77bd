// What a world is made of: a rank with its program's state and its host, the coordinator, the messages between them.
#pragma once
#include "bytes.hpp"
#include "index.hpp"
#include "program.hpp"

#include <mana/clock/host.hpp>

namespace clock_model {

using mana::clock::request_number;
using mana::clock::verdict;

// What hosts and the control say, besides the policy's messages.
struct answered {
  request_number number = 0;
  static constexpr std::tuple fields{&answered::number};
};
struct requested {
  request_number number = 0;
  static constexpr std::tuple fields{&requested::number};
};
struct line_declared {
  static constexpr std::tuple<> fields{};
};
struct over {                                  // the checkpoint is over, or was given up
  static constexpr std::tuple<> fields{};
};
template <class P>
using upward = std::variant<answered, typename P::up>;
template <class P>
using downward = std::variant<requested, typename P::down, line_declared, over>;

/// Messages under way, in their order.
template <class Message>
struct lane {
  std::vector<Message> queue;
  static constexpr std::tuple fields{&lane::queue};
};

/// Where an operation is. synchronizing: in the trivial barrier before a collective. counted: a collective whose start
/// is counted, and that has not yet looked whether it has to ask. inside: a collective that was entered; a receive
/// that was posted; a synchronous send that was sent.
enum class stage : std::uint8_t { before, synchronizing, counted, inside };

/// A non-blocking operation, or the blocking one that is inside: it is the index-th of its kind with this peer or
/// group.
struct started_op {
  act what = act::compute;
  int with = 0;
  std::uint64_t index = 0;
  static constexpr std::tuple fields{&started_op::what, &started_op::with, &started_op::index};
};

/// The program's state in one rank.
struct task {
  int next = 0;
  stage where = stage::before;
  bool waiting = false;                        // its host was told
  bool asked = false;                          // it was held, which changed something, and nothing has come since
  started_op current;
  std::array<started_op, max_slots> slots{};
  std::vector<std::uint64_t> counts;           // by group: collectives that were counted
  std::vector<std::uint64_t> sent, posted;     // by peer: messages to it, receives posted for its messages
  std::vector<bool> exists;                    // by group
  std::vector<act> has;                        // by lock: lock, share: a place in its queue. unlock: none
  std::vector<unsigned> behind;                // by lock: who has to leave it first, a bit per rank
  bool released = true, in_checkpoint = false;
  bool under_line = false;                     // a line was declared; until its checkpoint's end comes counts stay
  request_number pending_later = 0;
  int began_at = -1;                           // operations that it had started when it heard the request; -1: none
  static constexpr std::tuple fields{&task::next,   &task::where,  &task::waiting,  &task::asked,    &task::current,
                                     &task::slots,  &task::counts, &task::sent,     &task::posted,   &task::exists,
                                     &task::has,    &task::behind,
                                     &task::released, &task::in_checkpoint, &task::under_line, &task::pending_later,
                                     &task::began_at};

  int started() const { return next + (where == stage::before || where == stage::synchronizing ? 0 : 1); }
};

/// A rank: copies have hosts with surroundings of their own.
template <class P>
struct process {
  struct outbox {
    std::vector<upward<P>> out;
    void answer(request_number n) { out.push_back(answered{n}); }
    void send(const typename P::up& m) { out.push_back(m); }
  };
  outbox to_coordinator;
  mana::clock::rank_host<P, outbox> host;
  task doing;
  mutable std::optional<verdict> would_be;     // what start() says now, if it was asked without any effect: no state

  process(int rank, task t) : host(to_coordinator, rank), doing(std::move(t)) {}
  process(const process& from) : host(to_coordinator, from.host), doing(from.doing) {}
};

/// What a coordinator says, by link.
template <class P>
struct link_outbox {
  std::vector<std::pair<int, downward<P>>> out;
  void request(int link, request_number n) { out.emplace_back(link, requested{n}); }
  void send(int link, const typename P::down& m) { out.emplace_back(link, m); }
  void line(int link) { out.emplace_back(link, line_declared{}); }
};

template <class P>
struct control {
  link_outbox<P> to_links;
  mana::clock::coordinator_host<P, link_outbox<P>> host;

  explicit control(std::vector<mana::clock::rank_range> links) : host(to_links, std::move(links)) {}
  control(const control& from) : host(to_links, from.host) {}
};

/// A relay; of a policy that does not combine there is none.
template <class P>
struct junction {
  struct outbox : link_outbox<P> {
    std::vector<upward<P>> up;
    void answer(request_number n) { up.push_back(answered{n}); }
    void send_up(const typename P::up& m) { up.push_back(m); }
  };
  outbox says;
  mana::clock::relay_host<P, outbox> host;

  explicit junction(std::vector<mana::clock::rank_range> links) : host(says, std::move(links)) {}
  junction(const junction& from) : host(says, from.host) {}
};
template <class P>
  requires(!mana::clock::combines<P>)
struct junction<P> {};

/// A host and its part are one state.
template <class Host>
void put_host(byte_writer& to, const Host& host) {
  to.put(host);
  to.put(host.state() != nullptr);
  if (host.state() != nullptr) to.put(*host.state());
}
template <class P>
void put_state(byte_writer& to, const process<P>& p) {
  to.put(p.doing);
  put_host(to, p.host);
}
template <class P>
void put_state(byte_writer& to, const control<P>& c) {
  put_host(to, c.host);
}
template <class P>
void put_state(byte_writer& to, const junction<P>& j) {
  if constexpr (mana::clock::combines<P>) put_host(to, j.host);
}
template <class Message>
void put_state(byte_writer& to, const lane<Message>& l) {
  to.put(l);
}

}  // namespace clock_model
