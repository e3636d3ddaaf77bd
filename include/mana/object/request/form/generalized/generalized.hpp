// Generalized requests: operations of the program itself, for which MPI only waits. They live in the upper half alone,
// so a restart finds them unchanged.
#pragma once
#include <mana/app/error_space.hpp>
#include <mana/call/scope.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/request/pool.hpp>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <new>

namespace mana::object {

/// The arguments and the state of MPI_Grequest_start.
struct generalized_operation {
  MPI_Grequest_query_function* query;
  MPI_Grequest_free_function* free;
  MPI_Grequest_cancel_function* cancel;
  void* extra;
  int result;             // code of this mpi.h or of the program, from the last callback that failed
  bool freed;             // by MPI_Request_free, before it was complete
  bool is_fortran = false;
  int (*poll)(void* extra, MPI_Status* status) = nullptr;   // called while somebody waits; it may complete the request

  // Fortran's functions get addresses, and return a code through the last one.
  using fortran_query = void (*)(void* extra, void* status, MPI_Fint* code);
  using fortran_free = void (*)(void* extra, MPI_Fint* code);
  using fortran_cancel = void (*)(void* extra, MPI_Fint* is_complete, MPI_Fint* code);
  template <class Function, class Given>
  static Function in_fortran(Given* given) noexcept {
    return reinterpret_cast<Function>(reinterpret_cast<void (*)()>(given));
  }
  int call_query(MPI_Status* status) const {
    if (!is_fortran) return query(extra, status);
    MPI_Fint code = MPI_SUCCESS;
    in_fortran<fortran_query>(query)(extra, status, &code);
    return code;
  }
  int call_free() const {
    if (!is_fortran) return free(extra);
    MPI_Fint code = MPI_SUCCESS;
    in_fortran<fortran_free>(free)(extra, &code);
    return code;
  }
  int call_cancel(bool is_complete) const {
    if (!is_fortran) return cancel(extra, is_complete);
    MPI_Fint code = MPI_SUCCESS, complete = is_complete;
    in_fortran<fortran_cancel>(cancel)(extra, &complete, &code);
    return code;
  }
};

}  // namespace mana::object

namespace mana::object {


struct generalized_state {
  std::atomic<std::uint32_t> live{0};          // requests. Most programs have none, and then waits look no further
  std::atomic<std::uint32_t> completions{0};   // futex word of the threads that wait
};
inline generalized_state& generalized() noexcept {
  static constinit generalized_state state;
  return state;
}

inline bool is_generalized(const request_entry& e) noexcept { return e.what.is_generalized(); }
inline generalized_operation& operation_of(const request_entry& e) noexcept {
  return *e.what.program().operation;
}

/// Must be called before the request can be used.
inline void call_request_in_fortran(MPI_Request request) noexcept {
  if (const request_entry* const e = vid::table<kind::request>().find(app::to_virt<kind::request>(request)))
    if (is_generalized(*e)) operation_of(*e).is_fortran = true;
}

/// A thread of the program may complete it while others look.
inline bool is_complete(const request_entry& e) noexcept {
  const std::atomic_ref state(const_cast<request_stage&>(e.what.state));
  return state.load(std::memory_order_acquire) == request_stage::done;
}

/// Lets the live MPI make progress while a caller waits for generalized requests, so that operations under way
/// continue.
inline void make_progress() noexcept {
  const lower::services& s = *lower::the_bridge().service;
  int there = 0;
  neutral::status status{};
  lower::cross([&] {
    return s.probe(neutral::any_source, neutral::any_tag, comms().self.real, 0, &there, &status); });
}

/// Sleeps until a generalized request has completed since `seen` was read, but at most a millisecond. The network has
/// no event that could be awaited too, and others may need this rank's progress. A checkpoint parks the sleeping
/// thread.
inline void await_completion(std::uint32_t seen, unsigned turn) noexcept {
  const timespec pause{0, std::min(10'000L << std::min(turn, 10u), 1'000'000L)};
  call::run_application_code([&] {
    return syscall(SYS_futex, &generalized().completions, FUTEX_WAIT_PRIVATE, seen, &pause, nullptr, 0); });
}

inline void announce_completion() noexcept {
  generalized().completions.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &generalized().completions, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

/// Calls cancel_fn with whether the operation is over already. out: its code
inline int cancel_generalized(request_entry& e) noexcept {
  generalized_operation& o = operation_of(e);
  return call::run_application_code([&] { return o.call_cancel(is_complete(e)); });
}

/// Calls query_fn for a request that is complete.
inline void query(request_entry& e) noexcept {
  generalized_operation& o = operation_of(e);
  MPI_Status filled{};
  app::store_empty(&filled);
  o.result = call::run_application_code([&] { return o.call_query(&filled); });
  e.what.status = app::load_status(&filled);
  e.what.status.error = o.result == MPI_SUCCESS ? int{neutral::success} : app::neutral_error(o.result);
}

/// Calls query_fn and free_fn, once, before the request is handed over. If both fail, free_fn's error counts. Not inline, to keep its
/// code off every fast path.
[[gnu::cold, gnu::noinline]] inline void settle(request_entry& e) noexcept {
  generalized_operation& o = operation_of(e);
  if (std::exchange(o.freed, true)) return;
  query(e);
  const int freed = call::run_application_code([&] { return o.call_free(); });
  if (freed == MPI_SUCCESS) return;
  o.result = freed;
  e.what.status.error = app::neutral_error(freed);
}

/// The error code of a request for the program.
inline int code_of(const request_entry& e) noexcept {
  if (is_generalized(e)) [[unlikely]] return operation_of(e).result;
  return app::error_code(e.what.status.error);
}

/// Call it after the request's free_fn.
inline void forget_generalized(request_entry& e) noexcept {
  generalized().live.fetch_sub(1, std::memory_order_relaxed);
  free_request(e);
}

/// out: nullptr without an id or memory
inline request_entry* new_generalized(const generalized_operation& given) noexcept {
  auto* const o = static_cast<generalized_operation*>(std::malloc(sizeof given));
  request_entry* const e = o != nullptr ? new_request(comms().self, [](auto& r) { r.begin_generalized(); }) : nullptr;
  if (e == nullptr) { std::free(o); return nullptr; }
  own_memory(e->what, e->what.program().operation = ::new (o) generalized_operation(given));
  generalized().live.fetch_add(1, std::memory_order_relaxed);
  return e;
}

/// Called by MPI_Grequest_complete and MPI_Request_free. The later of the two must call free_fn.
/// out: whether the caller is the later one
inline bool complete_or_free(request_entry& e, bool completes) noexcept {
  const std::lock_guard hold(app::cold_lock());
  generalized_operation& o = operation_of(e);
  const bool last = completes ? o.freed : is_complete(e);
  if (completes) std::atomic_ref(e.what.state).store(request_stage::done, std::memory_order_release);
  else o.freed = true;
  return last;
}

/// out: free_fn's code
inline int free_now(request_entry& e) noexcept {
  generalized_operation& o = operation_of(e);
  const int rc = call::run_application_code([&] { return o.call_free(); });
  forget_generalized(e);
  return rc;
}

/// Calls the poll_fn of each request that has one. Its result is ignored: query_fn reports how the operation ended.
inline void poll_generalized(int n, request_entry* const* entries) noexcept {
  for (int i = 0; i < n; ++i) {
    if (entries[i] == nullptr || !is_generalized(*entries[i]) || is_complete(*entries[i])) continue;
    generalized_operation& o = operation_of(*entries[i]);
    if (o.poll == nullptr) continue;
    MPI_Status unused{};
    call::run_application_code([&] { return o.poll(o.extra, &unused); });
  }
}

/// Active requests of the list: how many the program completes, and how many the live MPI.
struct open_requests {
  int generalized = 0, real = 0;
};
inline open_requests count_open(int n, request_entry* const* entries) noexcept {
  open_requests found;
  for (int i = 0; i < n; ++i) {
    if (entries[i] == nullptr) continue;
    if (is_generalized(*entries[i])) found.generalized += !is_complete(*entries[i]);
    else found.real += entries[i]->what.state == request_stage::active;
  }
  return found;
}

}  // namespace mana::object
