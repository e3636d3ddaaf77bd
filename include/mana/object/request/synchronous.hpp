// Synchronous sends of a communicator, from their start until the live MPI completes them.
#pragma once
#include <mana/call/library.hpp>
#include <mana/object/comm/counting.hpp>
#include <mana/object/request/descriptor.hpp>

#include <utility>

namespace mana::object {

/// Counts a synchronous send that was started; count_sent() must not count it too. peer: rank, or MPI_PROC_NULL
inline void open_synchronous(descriptor<kind::request>& r) noexcept {
  message_part& m = r.message();
  if (m.peer < 0) return;
  traffic& t = *r.messages;
  count_one(t.counts[m.peer].sent, call::library().callers);
  synchronous_ledger& ledger = detail::ledger_of(t);
  const detail::ledger_hold hold(ledger);
  synchronous_envelope& e = *detail::envelope_for(ledger, m.peer, m.tag);
  if (e.open++ == 0) e.sent = 0;
  m.envelope = &e;
  m.number = ++e.sent;
  ledger.open.fetch_add(1, std::memory_order_relaxed);
}

/// The live MPI has completed the send. Runs in drains too.
inline void close_synchronous(descriptor<kind::request>& r) noexcept {
  message_part& m = r.message();
  if (m.envelope == nullptr) [[likely]] return;
  synchronous_ledger& ledger = *r.messages->synchronous;
  const detail::ledger_hold hold(ledger);
  --std::exchange(m.envelope, nullptr)->open;
  ledger.open.fetch_sub(1, std::memory_order_relaxed);
}

/// Takes back the count of a send that the live MPI refused.
inline void take_back(descriptor<kind::request>& r) noexcept {
  const message_part& m = r.message();
  if (synchronous_envelope* const e = m.envelope; e != nullptr) {
    const detail::ledger_hold hold(*r.messages->synchronous);
    if (e->sent == m.number) --e->sent;
  }
  close_synchronous(r);
  uncount_sent(*r.messages, m.peer);
}

/// How many messages to that peer with that tag were sent after this send.
inline std::uint64_t sent_after(const descriptor<kind::request>& r) noexcept {
  return r.message().envelope->sent - r.message().number;
}

}  // namespace mana::object
