// Moves messages that lie in the live MPI, and that no receive has asked for, into the inbox.
#pragma once
#include <mana/drain/turn.hpp>
#include <mana/object/comm/counting.hpp>
#include <mana/object/comm/in_words.hpp>
#include <mana/object/comm/receive_held.hpp>
#include <mana/object/comm/state.hpp>

namespace mana::object {

/// Receives into the inbox everything that has arrived on one communicator and matches no posted receive.
inline void empty_channel(drain::progress& judge, const descriptor<kind::comm>& comm, real<kind::comm> below) noexcept {
  const lower::services& s = *lower::the_bridge().service;
  if (!below || comm.messages == nullptr) return;
  while (!judge.failed()) {
    int there = 0;
    real<kind::message> message{};
    neutral::status status{};
    const int rc = lower::cross(
        [&] { return s.mprobe(neutral::any_source, neutral::any_tag, below, 0, &there, &message, &status); });
    if (judge.check(rc, "MPI_Improbe", comm.messages) != neutral::success || there == 0) return;
    held_message* held = nullptr;
    if (judge.check(receive_held(comm.context, message, status, held), "MPI_Mrecv", comm.messages) != neutral::success) return;
    comms().inbox.append(held);
    count_received(*comm.messages, status.source);
  }
}

/// Calls f(communicator, its real handle) for each communicator on which messages may come.
template <class F>
inline void for_each_channel(F&& f) noexcept {
  for (const lasting_comm* const own : comms().lasting()) f(own->what, own->real);
  vid::table<kind::comm>().for_each_unordered([&](const vid::entry<kind::comm>& e) { f(e.what, e.real); });
}

}  // namespace mana::object
