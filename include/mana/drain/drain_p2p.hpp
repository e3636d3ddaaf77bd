// From the recovery line to "nothing in flight": outstanding collectives are completed, then every message that was
// sent is received, into its posted receive or into the inbox. Runs on the thread that called MPI_Init while all others
// are parked, perhaps in a signal handler that interrupted malloc: it allocates with mmap only.
#pragma once
#include <mana/wrap/request_pool.hpp>
#include <mana/wrap/scope.hpp>

#include <mana/lower/mapped_array.hpp>

#include <utility>

namespace mana::drain {

/// Requests that are tested in one visit to the lower half, which makes progress once for all of them; no more than it
/// takes without memory from malloc. Receives and sends are never in one of them: the two parts of an MPI_Isendrecv, of
/// which the first to be retired takes the other's place, are not tested together.
class test_batch {
 public:
  void add(wrap::request_entry& e) noexcept {
    entries_[n_] = &e;
    reals_[n_] = e.real;
    statuses_[n_] = {};
    if (++n_ == most) test();
  }
  void test() noexcept {
    const lower::services& s = *lower::the_bridge().service;
    const int n = std::exchange(n_, 0);
    if (n > 0) lower::cross([&] { return s.test_some(n, reals_, statuses_); });
    for (int i = 0; i < n; ++i) {
      if (reals_[i] == 0) wrap::retire(*entries_[i], statuses_[i]);
      else ++pending_;
    }
  }
  int pending() const noexcept { return pending_; }

 private:
  static constexpr int most = 64;
  int n_ = 0, pending_ = 0;
  wrap::request_entry* entries_[most];
  std::uint64_t reals_[most];
  neutral::status statuses_[most];
};

/// Tests every active request of which `wanted` says yes, once. Receives that never end have no real one: see repost().
/// out: how many of them are still pending
template <class Wanted>
inline int test_requests(Wanted&& wanted) noexcept {
  test_batch batch;
  vid::table<kind::request>().for_each_unordered([&](wrap::request_entry& e) {
    if (e.what.state == vid::request_state::active && e.real != 0 && wanted(e.what)) batch.add(e); });
  batch.test();
  return batch.pending();
}

inline bool is_collective(const vid::descriptor<kind::request>& r) noexcept {
  return r.form == vid::request_form::collective;
}
inline bool is_receive(const vid::descriptor<kind::request>& r) noexcept {
  return r.form == vid::request_form::recv || r.form == vid::request_form::matched_recv;
}
inline bool is_send(const vid::descriptor<kind::request>& r) noexcept {
  return r.form == vid::request_form::send || r.form == vid::request_form::buffered;
}

/// Takes a matched message out of the network. out: the message, its bytes in place
inline vid::held_message* receive_held(std::uint64_t context, std::uint64_t message,
                                       const neutral::status& probed) noexcept {
  const lower::services& s = *lower::the_bridge().service;
  vid::held_message* const held = inbox::make(context, probed);
  if (held == nullptr) lower::cross([&] { s.fatal("no memory to hold a message that was in flight"); });
  neutral::status ignored{};
  lower::cross([&] { return s.mrecv_bytes(held->data(), held->bytes, message, &ignored); });
  return held;
}

/// Receives into the inbox everything that has arrived on one communicator and matches no posted receive.
inline void empty_channel(const vid::descriptor<kind::comm>& comm, std::uint64_t real_comm) noexcept {
  const lower::services& s = *lower::the_bridge().service;
  if (real_comm == 0) return;
  for (;;) {
    int there = 0;
    std::uint64_t message = 0;
    neutral::status status{};
    lower::cross(
        [&] { return s.mprobe(neutral::any_source, neutral::any_tag, real_comm, 0, &there, &message, &status); });
    if (there == 0) return;
    wrap::library().inbox.append(receive_held(comm.context, message, status));
    wrap::count_received(*comm.peers, status.source);
  }
}

/// Matched messages that the application has not received yet become held ones: their real handle dies with the
/// lower half.
inline void hold_matched() noexcept {
  vid::table<kind::message>().for_each_unordered([](vid::entry<kind::message>& e) {
    if (e.what.held != nullptr || e.real == 0) return;
    e.what.held = receive_held(0, e.real, e.what.status);
    e.real = 0;
    wrap::count_received(*e.what.ranks, e.what.status.source);
  });
}

inline bool all_received(const std::uint64_t* expected) noexcept {
  const wrap::library_state& lib = wrap::library();
  for (std::uint32_t r = 0; r < lower::the_bridge().world_size; ++r)
    if (lib.received[r] < expected[r]) return false;
  return true;
}

/// INV-8 after the drain, which is over on all ranks when this returns: sent == received for every pair of ranks, no
/// request but receives is active, and no active receive has a message that could match it.
/// Because: counts were exchanged with all threads parked, so they do not grow; each rank then receives all that was
/// sent to it; sends complete by their receivers' progress; the barrier keeps everyone progressing until all are done.
inline void drain_all() noexcept {
  const lower::services& s = *lower::the_bridge().service;
  wrap::library_state& lib = wrap::library();
  while (test_requests(is_collective) > 0) {}
  lower::cross([&] { s.fault_point("collectives_completed"); });

  lower::mapped_array<std::uint64_t> expected(lower::the_bridge().world_size);
  lower::cross([&] { return s.exchange_counts(lib.sent, expected.data()); });
  hold_matched();
  while (!all_received(expected.data())) {
    test_requests(is_receive);
    empty_channel(lib.world.what, lib.world.real);
    empty_channel(lib.self.what, lib.self.real);
    empty_channel(lib.hidden.what, lib.hidden.real);
    empty_channel(lib.partitioned.what, lib.partitioned.real);
    vid::table<kind::comm>().for_each_unordered([](vid::entry<kind::comm>& e) { empty_channel(e.what, e.real); });
    test_requests(is_send);
  }
  while (test_requests(is_send) > 0) {}
  while (lower::cross([&] { return s.drain_barrier(); }) == 0) {}
}

}  // namespace mana::drain
