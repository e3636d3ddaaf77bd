// Counting messages by communicator and peer, and which of them were sent synchronously. A message of a synchronous send
// that a drain received is told from others by how many were sent after it (checkpoint/drain/synchronous.hpp); so while such sends
// are open, messages are counted by tag too.
#pragma once
#include <mana/object/comm/traffic_life.hpp>

#include <new>
#include <utility>

namespace mana::wrap {

/// Adds one to a counter that other threads of the application may change as well.
inline void count_one(std::uint64_t& counter, turns t) noexcept {
  if (t == turns::at_once) __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
  else ++counter;
}

namespace detail {

inline vid::synchronous_envelope*& bucket_of(vid::synchronous_ledger& l, int peer, int tag) noexcept {
  const auto mixed = static_cast<unsigned>(peer) * 31 + static_cast<unsigned>(tag);
  return l.envelopes[mixed % vid::synchronous_ledger::buckets];
}

inline vid::synchronous_envelope* find_envelope(vid::synchronous_ledger& l, int peer, int tag) noexcept {
  vid::synchronous_envelope* e = bucket_of(l, peer, tag);
  while (e != nullptr && (e->peer != peer || e->tag != tag)) e = e->next;
  return e;
}

/// The envelope, made if it is new. Those that nobody uses go first: a drain cannot free them.
inline vid::synchronous_envelope* envelope_for(vid::synchronous_ledger& l, int peer, int tag) noexcept {
  if (vid::synchronous_envelope* const known = find_envelope(l, peer, tag)) return known;
  vid::synchronous_envelope** at = &bucket_of(l, peer, tag);
  while (*at != nullptr) {
    if ((*at)->open != 0) at = &(*at)->next;
    else delete std::exchange(*at, (*at)->next);
  }
  auto* const made = new (std::nothrow) vid::synchronous_envelope{peer, tag, 0, 0, nullptr};
  if (made == nullptr) std::abort();
  return *at = made;
}

class ledger_hold {
 public:
  explicit ledger_hold(vid::synchronous_ledger& l) noexcept : l_(l) {
    while (l_.lock.test_and_set(std::memory_order_acquire)) {}
  }
  ~ledger_hold() { l_.lock.clear(std::memory_order_release); }
  ledger_hold(const ledger_hold&) = delete;
  ledger_hold& operator=(const ledger_hold&) = delete;

 private:
  vid::synchronous_ledger& l_;
};

inline vid::synchronous_ledger& ledger_of(vid::traffic& t) noexcept {
  const traffic_hold hold;
  if (t.synchronous == nullptr) t.synchronous = new (std::nothrow) vid::synchronous_ledger;
  if (t.synchronous == nullptr) std::abort();
  return *t.synchronous;
}

}  // namespace detail

/// A message was sent while synchronous sends of the communicator are open.
[[gnu::noinline, gnu::cold]] inline void note_sent_after(vid::traffic& t, int peer, int tag) noexcept {
  const detail::ledger_hold hold(*t.synchronous);
  if (vid::synchronous_envelope* const e = detail::find_envelope(*t.synchronous, peer, tag); e != nullptr && e->open != 0)
    ++e->sent;
}

[[gnu::always_inline]] inline bool has_open_synchronous(const vid::traffic& t) noexcept {
  return t.synchronous != nullptr && t.synchronous->open.load(std::memory_order_relaxed) != 0;
}

/// dest, source: ranks in the communicator, or MPI_PROC_NULL
[[gnu::always_inline]] inline void count_sent(vid::traffic& t, int dest, int tag) noexcept {
  if (dest < 0 || dest >= t.peers->size) return;
  count_one(t.counts[dest].sent, library().callers);
  if (has_open_synchronous(t)) [[unlikely]] note_sent_after(t, dest, tag);
}
[[gnu::always_inline]] inline void count_received(vid::traffic& t, int source) noexcept {
  if (source >= 0 && source < t.peers->size) count_one(t.counts[source].received, library().callers);
}

/// The program receives a message while it has matched others: of those of the same source and tag it passes the ones that
/// were matched before the receive was posted, which were sent earlier.
[[gnu::noinline, gnu::cold]] inline void note_passed(const vid::traffic& t, int source, int tag, std::uint64_t posted) noexcept {
  vid::table<kind::message>().for_each_unordered([&](vid::entry<kind::message>& e) {
    if (e.what.messages == &t && e.what.status.source == source && e.what.status.tag == tag && e.what.matched < posted)
      count_one(e.what.passed, library().callers);
  });
}
/// posted: order of the receive among matches and receives; of one that is complete at once: now
[[gnu::always_inline]] inline void note_received(const vid::traffic& t, int source, int tag,
                                                 std::uint64_t posted = UINT64_MAX) noexcept {
  if (library().matched.load(std::memory_order_relaxed) != 0) [[unlikely]] note_passed(t, source, tag, posted);
}

/// A synchronous send was started, and is counted by this instead of count_sent(). peer: rank, or MPI_PROC_NULL
inline void open_synchronous(vid::descriptor<kind::request>& r) noexcept {
  if (r.peer < 0) return;
  vid::traffic& t = *r.messages;
  count_one(t.counts[r.peer].sent, library().callers);
  vid::synchronous_ledger& ledger = detail::ledger_of(t);
  const detail::ledger_hold hold(ledger);
  vid::synchronous_envelope& e = *detail::envelope_for(ledger, r.peer, r.tag);
  if (e.open++ == 0) e.sent = 0;
  r.envelope = &e;
  r.number = ++e.sent;
  ledger.open.fetch_add(1, std::memory_order_relaxed);
}

/// The send is complete, or the live MPI calls it so. Runs in drains too.
inline void close_synchronous(vid::descriptor<kind::request>& r) noexcept {
  if (r.envelope == nullptr) [[likely]] return;
  vid::synchronous_ledger& ledger = *r.messages->synchronous;
  const detail::ledger_hold hold(ledger);
  --std::exchange(r.envelope, nullptr)->open;
  ledger.open.fetch_sub(1, std::memory_order_relaxed);
}

/// The live MPI refused a send that was counted. dest: rank in the communicator, or MPI_PROC_NULL
inline void uncount_sent(vid::traffic& t, int dest) noexcept {
  if (dest >= 0 && dest < t.peers->size) __atomic_fetch_sub(&t.counts[dest].sent, 1, __ATOMIC_RELAXED);
}
inline void take_back(vid::descriptor<kind::request>& r) noexcept {
  if (vid::synchronous_envelope* const e = r.envelope; e != nullptr) {
    const detail::ledger_hold hold(*r.messages->synchronous);
    if (e->sent == r.number) --e->sent;
  }
  close_synchronous(r);
  uncount_sent(*r.messages, r.peer);
}

/// Messages to that peer with that tag that were sent after the send's own.
inline std::uint64_t sent_after(const vid::descriptor<kind::request>& r) noexcept { return r.envelope->sent - r.number; }

}  // namespace mana::wrap
