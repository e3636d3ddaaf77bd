// Finds the synchronous sends that no receive has met. When all threads are parked, each sender names its synchronous
// sends that the live MPI has not completed. By then their receiver has all messages. Messages of one peer, tag and
// communicator are received in the order in which they were sent. So the receiver holds the last ones, and matched
// messages that later ones have passed; the messages that pass are counted.
#pragma once
#include <mana/call/library.hpp>
#include <mana/checkpoint/drain/mail.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/request/pool.hpp>
#include <mana/object/request/state.hpp>
#include <mana/object/request/synchronous.hpp>

namespace mana::checkpoint {

/// The process's counts for the communicator; nullptr: the communicator ended here, so nothing can be received on it.
inline object::traffic* traffic_of(const object::comm_name& name) noexcept {
  object::traffic* t = object::comms().traffics;
  while (t != nullptr && !(t->name == name)) t = t->next;
  return t;
}

inline bool is_open_synchronous(const object::request_entry& e) noexcept {
  return e.what.state == object::request_stage::active && e.what.is_message() && e.what.message().envelope != nullptr &&
         !e.what.detached && !e.what.cancelling;
}

/// A drain has asked about this send, and no answer has come.
inline bool is_asked(const object::request_entry& e) noexcept {
  return e.what.is_message() && e.what.message().met == object::meeting::asked;
}

/// Names this rank's open synchronous sends, and makes retire() keep them.
inline void ask_about_synchronous(outbox<synchronous_row>& out) noexcept {
  vid::table<kind::request>().for_each_unordered([&](object::request_entry& e) {
    if (!is_open_synchronous(e)) return;
    descriptor<kind::request>& r = e.what;
    object::message_part& m = r.message();
    m.met = object::meeting::asked;
    m.posted = take_next(object::requests().next_posted, call::library().callers);
    const std::uint32_t id = vid::table<kind::request>().id_of(e).bits();
    out.add(r.messages->peers->world_ranks[m.peer],
            {r.messages->name, r.messages->own_rank, m.tag, object::sent_after(r), m.posted, id, 0});
  });
}

/// The message of a synchronous send, if this rank holds it; nullptr: a receive has met it.
/// in: all messages of its sender on that communicator have arrived
inline object::held_message* find_unmet(const synchronous_row& row) noexcept {
  const object::traffic* const t = traffic_of(row.comm);
  if (t == nullptr) return nullptr;
  object::comm_state& all = object::comms();
  const auto is_same = [&](const vid::entry<kind::message>& e) {
    return e.what.messages == t && e.what.held != nullptr && e.what.status.source == row.from && e.what.status.tag == row.tag;
  };
  const std::uint64_t in_inbox = all.inbox.count(t->context, row.from, row.tag);
  if (row.after < in_inbox) return all.inbox.at(t->context, row.from, row.tag, in_inbox - 1 - row.after);
  // The program has matched the message without receiving it, and perhaps others that were sent after it.
  object::held_message* found = nullptr;
  vid::table<kind::message>().for_each_unordered([&](const vid::entry<kind::message>& e) {
    if (!is_same(e)) return;
    std::uint64_t after = in_inbox + e.what.passed;
    vid::table<kind::message>().for_each_unordered(
        [&](const auto& other) { after += is_same(other) && other.what.matched > e.what.matched; });
    if (after == row.after) found = e.what.held;
  });
  return found;
}

/// The receiver's part. out: the answer
inline answer_row judge(const synchronous_row& row, int sender) noexcept {
  object::held_message* const held = find_unmet(row);
  if (held != nullptr) held->awaited = {sender, row.request, row.number};
  return {row.number, row.request, held != nullptr};
}

/// The sender's part. A send that was met is complete as soon as the live MPI says so, or already.
inline void take_answer(const answer_row& row) noexcept {
  object::request_entry* const e = vid::table<kind::request>().find(virt<kind::request>(row.request));
  if (e == nullptr || !is_asked(*e) || e->what.message().posted != row.number) return;
  e->what.message().met = row.is_held != 0 ? object::meeting::unmet : object::meeting::untouched;
  if (row.is_held == 0) object::end_unready(*e);
}

/// After a drain that was given up nobody will answer: sends that the live MPI has completed are complete.
inline void forget_questions() noexcept {
  vid::table<kind::request>().for_each_unordered([](object::request_entry& e) {
    if (!is_asked(e)) return;
    e.what.message().met = object::meeting::untouched;
    object::end_unready(e);
  });
}

inline bool has_questions() noexcept {
  bool found = false;
  vid::table<kind::request>().for_each_unordered([&](const auto& e) { found |= is_asked(e); });
  return found;
}

}  // namespace mana::checkpoint
