// The receiver's notice to a synchronous sender whose message a drain has taken: a receive has begun. It travels on the
// hidden communicator, and is drained like any message.
#pragma once
#include <mana/object/attribute/calls.hpp>
#include <mana/object/comm/counting.hpp>
#include <mana/object/comm/inbox.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/request/completion/detached.hpp>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace mana::object {

/// The payload: names the request in the process that sent the message.
struct handshake_word {
  std::uint64_t number;         // message_part::posted
  std::uint32_t request;        // bits of a virtual id
  std::uint32_t unused;
};

/// The only tag that hidden_tag() never returns; valid in each MPI.
inline constexpr int handshake_tag = 0;

/// Ends the wait for the receiver: the receive has begun, or nobody asks. Several threads may call it at once.
inline void forgo_meeting(request_entry& e) noexcept {
  if (!e.what.is_message()) return;
  meeting expected = meeting::unmet;
  if (!std::atomic_ref(e.what.message().met)
           .compare_exchange_strong(expected, meeting::untouched, std::memory_order_acq_rel, std::memory_order_acquire))
    return;
  end_unready(e);
}

/// A receive has met the send. Does nothing if the send was cancelled or freed meanwhile.
inline void meet(const handshake_word& word) noexcept {
  request_entry* const e = vid::table<kind::request>().find(virt<kind::request>(word.request));
  if (e == nullptr || !e->what.is_message()) return;
  const message_part& m = e->what.message();
  if (m.met != meeting::unmet || m.posted != word.number) return;
  forgo_meeting(*e);
}

/// A receive takes the message. Tells the sender, if it waits for that. Not inline, to keep its code off every fast
/// path.
[[gnu::noinline, gnu::cold]] inline void acknowledge(const awaited_receive& awaited) noexcept {
  const lower::bridge& b = lower::the_bridge();
  const handshake_word word{awaited.number, awaited.request, 0};
  if (awaited.world_rank == static_cast<int>(b.world_rank)) return meet(word);
  comm_state& all = comms();
  auto* const copy = static_cast<handshake_word*>(std::malloc(sizeof word));
  if (copy == nullptr) std::abort();
  *copy = word;
  real<kind::request> started{};
  const int rc = lower::cross([&] {
    return b.service->isend(lower::send_mode::standard, copy, sizeof word, lower::predefined(neutral::byte),
                            awaited.world_rank, handshake_tag, all.hidden.real, &started); });
  if (rc != neutral::success)
    lower::cross([&] { b.service->fatal("the live MPI refuses to tell a synchronous sender that a receive has begun"); });
  count_sent(*all.hidden.what.messages, awaited.world_rank, handshake_tag);
  request_entry* const e = new_message(request_form::send, all.hidden);
  if (e == nullptr) {                     // no id is left: the live MPI ends the send alone, and keeps the few bytes
    lower::cross([&] { return b.service->request_free(started); });
    return;
  }
  own_memory(e->what, copy);
  e->what.message().peer = awaited.world_rank;
  e->what.message().tag = handshake_tag;
  e->real = started;
  detach(*e);
}

}  // namespace mana::object
