// MPI_Init and its relatives, which connect the states of the halves, and MPI_Finalize.
#pragma once
#include <mana/call/declared.hpp>
#include <mana/call/library.hpp>
#include <mana/call/no_lower_half.hpp>
#include <mana/call/own_stack.hpp>
#include <mana/lower/presence.hpp>
#include <mana/lower/signals.hpp>
#include <mana/object/attribute/calls.hpp>
#include <mana/object/classes.hpp>
#include <mana/object/comm/calls/comm.hpp>
#include <mana/object/comm/collective.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/datatype/life.hpp>
#include <mana/object/errhandler/calls.hpp>
#include <mana/object/request/completion/completion.hpp>
#include <mana/object/request/form/partitioned/partitioned.hpp>

#include <cstdio>

namespace mana::library {

inline void describe_world() noexcept {
  const lower::bridge& b = lower::the_bridge();
  object::comm_state& known = object::comms();
  const int n = static_cast<int>(b.world_size), me = static_cast<int>(b.world_rank);
  object::scratch<int, 64> everyone(n);
  for (int r = 0; r < n; ++r) everyone[r] = r;
  known.world.real = lower::predefined(neutral::comm_world);
  known.self.real = lower::predefined(neutral::comm_self);
  known.hidden.real = lower::predefined(neutral::comm_hidden);
  begin_lasting_handles();
  const vid::rank_map& all = *vid::intern_ranks(everyone.data(), n);
  object::describe_comm(known.world.what, object::comm_groups(all), 1);
  object::describe_comm(known.self.what, object::comm_groups(*vid::intern_ranks(&me, 1)), 2);
  object::describe_comm(known.hidden.what, object::comm_groups(all), 3);
  object::describe_comm(known.partitioned.what, object::comm_groups(all), 4);
#if defined(MANA_DECLARES_MPI_Psend_init)
  if (object::make_partitioned_comm() != neutral::success)
    lower::cross([&] { b.service->fatal("no communicator for partitioned messages"); });
#endif
  std::strcpy(known.world.what.name, "MPI_COMM_WORLD");
  std::strcpy(known.self.what.name, "MPI_COMM_SELF");
}

inline void let_callers_come(turns t) noexcept {
  call::library().callers = t;
  for_each_kind<all_classes>([t]<class K, class Facts>(K, Facts) {
    if constexpr (Facts::follows_thread_level) vid::table<K>().set_turns(t);
  });
}

/// Natively the MPI library shares the program's libc, and changes its streams when it starts. The live MPI has changed
/// only its own libc's streams.
inline void leave_streams_unbuffered() noexcept {
  const std::uint32_t numbers = lower::the_bridge().unbuffered;
  FILE* const standard[] = {stdin, stdout, stderr};
  for (unsigned number = 0; number < 3; ++number)
    if ((numbers >> number & 1) != 0) std::setbuf(standard[number], nullptr);
}

/// Starts the live MPI, unless it runs already. It can start once in a process. A rank that waits here can be saved
/// until the live MPI starts. If the control of checkpoints knows all ranks, it starts when all of them have come here.
/// Natively too, no rank continues before that.
/// in: required: neutral thread level, without effect if MPI runs already      out: neutral error class
inline int start_live_mpi(call::wrapper_scope& scope, int required) noexcept {
  call::library_state& lib = call::library();
  if (lib.live == call::life::initialized) return neutral::success;
  if (lib.live == call::life::finalized) return neutral::err_other;
  if (!call::make_own_stack()) return neutral::err_no_mem;
  while (lower::cross([] { return lower::the_bridge().service->clock_ending(); }) == lower::wait_end::attention)
    scope.park_here();
  const lower::services& s = *lower::the_bridge().service;
  lib.init_thread = lower::this_thread()->index;
  // No checkpoint is under way, and none comes before the live MPI runs.
  __atomic_store_n(&lower::the_bridge().main_thread, lib.init_thread, __ATOMIC_RELAXED);
  int level = 0;
  const int rc = lower::cross([&] { return s.init(required, &level); });
  if (rc != neutral::success) return rc;
  lib.thread_level = level;
  leave_streams_unbuffered();
  let_callers_come(level == neutral::thread_multiple ? turns::at_once : turns::one_by_one);
  describe_world();
  object::learn_predefined_types();
  object::init_attributes();
  lib.live = call::life::initialized;
  return neutral::success;
}

inline int init_call(function_id f, int required, int* provided) noexcept {
  if (!lower::has_lower_half()) call::end_without_lower_half();
  call::wrapper_scope scope(f);
  call::library_state& lib = call::library();
  if (lib.state != call::life::before_init)
    return raise(MPI_COMM_NULL, f, neutral::err_other, "MPI was initialized before");
  const int rc = start_live_mpi(scope, required);
  if (rc != neutral::success) return raise(MPI_COMM_NULL, f, rc, "the MPI library did not start");
  lib.state = call::life::initialized;
  if (provided != nullptr) *provided = app::thread_level(lib.thread_level);
  return MPI_SUCCESS;
}

/// A send for which only MPI_Finalize waits.
inline bool is_unattended_send(const descriptor<kind::request>& r) noexcept {
  return r.form == object::request_form::buffered || (r.detached && object::is_send(r));
}

/// Ends the live MPI on all ranks. A rank that waits here for the others can be saved like any other. When all are
/// here, no further checkpoint comes.      out: neutral error class
inline int end_live_mpi(call::wrapper_scope& scope) noexcept {
  while (object::test_requests(is_unattended_send) > 0) scope.park_here();
  object::end_detached(nullptr);
  object::end_buffered();
  {
    const auto hold = object::type_lock();
    object::sweep_forsaken();
  }
  while (lower::cross([&] { return lower::the_bridge().service->clock_ending(); }) == lower::wait_end::attention)
    scope.park_here();
  call::library().live = call::life::finalized;
  return lower::cross([&] { return lower::the_bridge().service->finalize(); });
}

}  // namespace mana::library

namespace mana::manual {

inline int init(int*, char***) noexcept { return library::init_call(fn::init::id, neutral::thread_single, nullptr); }
inline int init_thread(int*, char***, int required, int* provided) noexcept {
  return library::init_call(fn::init_thread::id, app::neutral_thread_level(required), provided);
}
inline int initialized(int* flag) noexcept {
  *flag = call::library().state != call::life::before_init;
  return MPI_SUCCESS;
}
inline int finalized(int* flag) noexcept {
  *flag = call::library().state == call::life::finalized;
  return MPI_SUCCESS;
}
inline int query_thread(int* provided) noexcept {
  if (!lower::has_lower_half()) call::end_without_lower_half();
  *provided = app::thread_level(call::library().thread_level);
  return MPI_SUCCESS;
}
inline int is_thread_main(int* flag) noexcept {
  *flag = lower::this_thread()->index == call::library().init_thread;
  return MPI_SUCCESS;
}

/// Open sessions keep the live MPI until the process ends.
inline int finalize() noexcept {
  call::wrapper_scope scope(fn::finalize::id);
  call::library_state& lib = call::library();
  if (lib.state != call::life::initialized)
    return raise(MPI_COMM_NULL, fn::finalize::id, neutral::err_other, "MPI is not running");
  object::end_attributes(object::comms().self, MPI_COMM_SELF);      // its functions may still communicate
  if constexpr (family::world_attributes_end_finalized) lib.state = call::life::finalized;
  object::end_attributes(object::comms().world, MPI_COMM_WORLD);
  const int rc = lib.open_sessions == 0 ? library::end_live_mpi(scope) : int{neutral::success};
  lib.state = call::life::finalized;
  return rc == neutral::success ? MPI_SUCCESS : raise(MPI_COMM_NULL, fn::finalize::id, rc, nullptr);
}

}  // namespace mana::manual
