// The interruptible wait, in which every blocking call on point-to-point messages and every Wait and Test ends.
#pragma once
#include <mana/call/wait.hpp>
#include <mana/object/request/form/generalized/generalized.hpp>
#include <mana/object/request/pool.hpp>
#include <mana/object/request/state.hpp>

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace mana::object {

/// Memory for n values of T: on the stack if they are few, else from malloc (never used in a drain).
template <class T, int Few = 32>
class scratch {
 public:
  explicit scratch(std::int64_t n) noexcept
      : data_(n <= Few ? inline_ : static_cast<T*>(std::malloc(sizeof(T) * static_cast<std::size_t>(n)))) {
    if (data_ == nullptr) std::abort();
  }
  ~scratch() { if (data_ != inline_) std::free(data_); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  T* data() noexcept { return data_; }
  T& operator[](int i) noexcept { return data_[i]; }

 private:
  T inline_[Few];
  T* data_;
};

/// Receives the wrappers' messages to each other: first messages of partitioned sends, and notices that a receive has
/// met a synchronous send. Completes the requests that wait for them. Not inline, to keep its code off every fast path.
void receive_words() noexcept;

/// Whether one of the requests waits for something that the lower half does not know.
inline bool any_unready(int n, request_entry* const* entries) noexcept {
  if (requests().unready.load(std::memory_order_relaxed) == 0) [[likely]] return false;
  receive_words();
  return std::any_of(entries, entries + n, [](const request_entry* e) {
    return e != nullptr && e->what.state == request_stage::unready; });
}

/// World ranks that must act before these requests complete. out: ranks: int[2 * n]; returns how many, or -1 for
/// "anyone"
inline int peers_of(int n, request_entry* const* entries, int* ranks) noexcept {
  int found = 0;
  for (int i = 0; i < n; ++i) {
    if (entries[i] == nullptr) continue;
    const descriptor<kind::request>& r = entries[i]->what;
    if (!r.is_message()) continue;
    const message_part& m = r.message();
    const bool awaits_peer = r.state == request_stage::unready &&
                             (r.form == request_form::recv || m.met == meeting::unmet);
    if (r.state != request_stage::active && !awaits_peer) continue;
    if (const request_entry* const send = m.send_part;
        send != nullptr && send->what.state == request_stage::active &&
        send->what.message().peer != neutral::proc_null)
      ranks[found++] = r.messages->peers->world_ranks[send->what.message().peer];
    if (m.peer == neutral::proc_null) continue;
    if (m.peer == neutral::any_source) return -1;
    ranks[found++] = r.messages->peers->world_ranks[m.peer];
  }
  return found;
}

inline int poll_claimed(int n, request_entry** entries, int least) noexcept;

/// Asks the lower half about all active requests of the list, and retires those that have completed. It asks once. If
/// least > 0 it asks until that many have completed, or a checkpoint is pending. out: how many completed in this call
inline int poll_entries(int n, request_entry** entries, int least, bool is_claimed = false) noexcept {
  if (requests().shares_requests && !is_claimed) [[unlikely]] return poll_claimed(n, entries, least);
  scratch<real<kind::request>> reals(n);
  scratch<neutral::status> statuses(n);
  for (int i = 0; i < n; ++i) reals[i] = entries[i] != nullptr ? entries[i]->real : real<kind::request>{};
  const lower::services& s = *lower::the_bridge().service;
  const int got = lower::cross([&] {
    return least > 0 ? s.wait_some(n, reals.data(), statuses.data(), least)
                     : s.test_some(n, reals.data(), statuses.data()); });
  if (got == 0) return 0;
  int done = 0;
  for (int i = 0; i < n; ++i) {
    if (entries[i] == nullptr || !entries[i]->real || reals[i]) continue;
    retire(*entries[i], statuses[i]);
    done += entries[i]->what.state == request_stage::done;
  }
  return done;
}

/// Claims a partitioned request with a real one, so that only this thread tests it.
inline bool claim(request_entry& e) noexcept {
  const auto has_real = [&e] {
    real<kind::request> seen{};
    __atomic_load(&e.real, &seen, __ATOMIC_ACQUIRE);
    return bool{seen};
  };
  std::atomic_flag& polled = e.what.parts()->polled;
  if (!has_real() || polled.test_and_set(std::memory_order_acquire)) return false;
  if (has_real()) return true;
  polled.clear(std::memory_order_release);       // it was retired meanwhile
  return false;
}

/// Polls without the partitioned requests that other threads are testing. It also leaves out those without a real
/// request: another thread's MPI_Pready may create it at any moment.
inline int poll_claimed(int n, request_entry** entries, int least) noexcept {
  scratch<request_entry*> mine(n);
  for (int i = 0; i < n; ++i)
    mine[i] =
        entries[i] != nullptr && entries[i]->what.parts() != nullptr && !claim(*entries[i]) ? nullptr : entries[i];
  const int got = poll_entries(n, mine.data(), least, true);
  for (int i = 0; i < n; ++i)
    if (mine[i] != nullptr && mine[i]->what.parts() != nullptr)
      mine[i]->what.parts()->polled.clear(std::memory_order_release);
  return got;
}

inline int count_done(int n, request_entry* const* entries) noexcept {
  int done = 0;
  for (int i = 0; i < n; ++i)
    done += entries[i] != nullptr && entries[i]->what.state == request_stage::done;
  return done;
}

/// Called after a fruitless poll while a checkpoint is pending: tells the clock for whom this rank waits.
/// out: attention: the recovery line is declared, and the thread must park
inline lower::wait_end announce_wait(int n, request_entry* const* entries) noexcept {
  scratch<int> ranks(2 * n);
  const int found = peers_of(n, entries, ranks.data());
  const lower::services& s = *lower::the_bridge().service;
  return lower::cross([&] { return s.clock_wait(ranks.data(), found); });
}

/// await() with generalized requests. No visit to the lower half may last while only generalized requests are missing.
/// If only these are left, the thread sleeps.
[[gnu::noinline, gnu::cold]] inline void await_with_generalized(call::wrapper_scope& scope, int n,
                                                                request_entry** entries, int least) noexcept {
  constexpr unsigned polls_before_yield = 64;
  unsigned fruitless = 0;
  call::wait(scope, [&] {
    const std::uint32_t seen = generalized().completions.load(std::memory_order_acquire);
    ++fruitless;
    poll_generalized(n, entries);
    const bool has_unready = any_unready(n, entries);
    const open_requests open = count_open(n, entries);
    const int missing = least - count_done(n, entries);
    if (missing <= 0) return call::poll_end::done;
    if (open.real == 0 && !has_unready) {
      make_progress();
      await_completion(seen, fruitless);
      return call::poll_end::again;
    }
    // Generalized requests cannot provide all that is missing: this many of the live MPI's requests must complete.
    const int surely = has_unready ? 0 : missing - open.generalized;
    if (poll_entries(n, entries, surely > 0 ? surely : 0) > 0) return call::poll_end::again;
    if (!call::attention() && fruitless % polls_before_yield == 0) sched_yield();
    return call::poll_end::waits;
  }, [&] { return announce_wait(n, entries); });
}

/// Waits until `least` of the requests are done. entries: request_entry*[n]; nullptr and inactive ones do not count.
/// May park: afterwards the entries are the same, but their real handles are new.
inline void await(call::wrapper_scope& scope, int n, request_entry** entries, int least) noexcept {
  if (generalized().live.load(std::memory_order_relaxed) != 0 && count_open(n, entries).generalized != 0) [[unlikely]]
    return await_with_generalized(scope, n, entries, least);
  call::wait(scope, [&] {
    const bool has_unready = any_unready(n, entries);
    if (has_unready) sched_yield();
    const int missing = least - count_done(n, entries);
    const bool is_done = missing <= 0 || poll_entries(n, entries, has_unready ? 0 : missing) >= missing;
    return is_done ? call::poll_end::done : call::poll_end::waits;
  }, [&] { return announce_wait(n, entries); });
}

/// Tests all of them once. out: how many are done
inline int probe_entries(int n, request_entry** entries) noexcept {
  int done = 0;
  call::look([&] {
    any_unready(n, entries);
    if (generalized().live.load(std::memory_order_relaxed) != 0) [[unlikely]] poll_generalized(n, entries);
    const int before = count_done(n, entries);
    const int got = poll_entries(n, entries, 0);
    if (got == 0 && generalized().live.load(std::memory_order_relaxed) != 0) [[unlikely]] make_progress();
    done = before + got;
    return done > 0;
  }, [&] { return announce_wait(n, entries); });
  return done;
}

/// Waits for one request that a blocking call left pending when a checkpoint came.
inline void await_one(call::wrapper_scope& scope, request_entry& e) noexcept {
  request_entry* list[] = {&e};
  await(scope, 1, list, 1);
}

}  // namespace mana::object
