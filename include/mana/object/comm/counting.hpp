// Counts messages by communicator and peer, and notes which were sent synchronously. A drain may receive the message of
// a synchronous send. That message is identified by how many were sent after it (checkpoint/drain/synchronous.hpp). So
// while such sends are open, messages are also counted by tag.
#pragma once
#include <mana/call/library.hpp>
#include <mana/object/comm/traffic_life.hpp>

#include <new>
#include <utility>

namespace mana::object {

/// Adds one to a counter that other threads of the program may also change.
inline void count_one(std::uint64_t& counter, turns t) noexcept {
  if (t == turns::at_once) __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
  else ++counter;
}

namespace detail {

inline synchronous_envelope*& bucket_of(synchronous_ledger& l, int peer, int tag) noexcept {
  const auto mixed = static_cast<unsigned>(peer) * 31 + static_cast<unsigned>(tag);
  return l.envelopes[mixed % synchronous_ledger::buckets];
}

inline synchronous_envelope* find_envelope(synchronous_ledger& l, int peer, int tag) noexcept {
  synchronous_envelope* e = bucket_of(l, peer, tag);
  while (e != nullptr && (e->peer != peer || e->tag != tag)) e = e->next;
  return e;
}

/// The envelope, made if it is new. Unused envelopes are freed first: a drain cannot free them.
inline synchronous_envelope* envelope_for(synchronous_ledger& l, int peer, int tag) noexcept {
  if (synchronous_envelope* const known = find_envelope(l, peer, tag)) return known;
  synchronous_envelope** at = &bucket_of(l, peer, tag);
  while (*at != nullptr) {
    if ((*at)->open != 0) at = &(*at)->next;
    else delete std::exchange(*at, (*at)->next);
  }
  auto* const made = new (std::nothrow) synchronous_envelope{peer, tag, 0, 0, nullptr};
  if (made == nullptr) std::abort();
  return *at = made;
}

class ledger_hold {
 public:
  explicit ledger_hold(synchronous_ledger& l) noexcept : l_(l) {
    while (l_.lock.test_and_set(std::memory_order_acquire)) {}
  }
  ~ledger_hold() { l_.lock.clear(std::memory_order_release); }
  ledger_hold(const ledger_hold&) = delete;
  ledger_hold& operator=(const ledger_hold&) = delete;

 private:
  synchronous_ledger& l_;
};

inline synchronous_ledger& ledger_of(traffic& t) noexcept {
  const traffic_hold hold;
  if (t.synchronous == nullptr) t.synchronous = new (std::nothrow) synchronous_ledger;
  if (t.synchronous == nullptr) std::abort();
  return *t.synchronous;
}

}  // namespace detail

/// Call it when a message is sent while synchronous sends of the communicator are open.
[[gnu::noinline, gnu::cold]] inline void note_sent_after(traffic& t, int peer, int tag) noexcept {
  const detail::ledger_hold hold(*t.synchronous);
  if (synchronous_envelope* const e = detail::find_envelope(*t.synchronous, peer, tag); e != nullptr && e->open != 0)
    ++e->sent;
}

[[gnu::always_inline]] inline bool has_open_synchronous(const traffic& t) noexcept {
  return t.synchronous != nullptr && t.synchronous->open.load(std::memory_order_relaxed) != 0;
}

/// dest, source: ranks in the communicator, or MPI_PROC_NULL
[[gnu::always_inline]] inline void count_sent(traffic& t, int dest, int tag) noexcept {
  if (dest < 0 || dest >= t.peers->size) return;
  count_one(t.counts[dest].sent, call::library().callers);
  if (has_open_synchronous(t)) [[unlikely]] note_sent_after(t, dest, tag);
}
[[gnu::always_inline]] inline void count_received(traffic& t, int source) noexcept {
  if (source >= 0 && source < t.peers->size) count_one(t.counts[source].received, call::library().callers);
}

/// Takes back the count of a send that the live MPI refused. dest: rank in the communicator, or MPI_PROC_NULL
inline void uncount_sent(traffic& t, int dest) noexcept {
  if (dest >= 0 && dest < t.peers->size) __atomic_fetch_sub(&t.counts[dest].sent, 1, __ATOMIC_RELAXED);
}

}  // namespace mana::object
