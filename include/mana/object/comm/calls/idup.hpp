// MPI_Comm_idup and its like: non-blocking duplicates of communicators.
#pragma once
#include <mana/object/comm/calls/comm.hpp>

namespace mana::object {

/// The members are the parent's, so the communicator is described at once. The live MPI writes its real handle into the
/// entry when the request completes. given: hints of the new communicator
template <class Fn>
inline int idup_call(MPI_Comm comm, const info_store* given, MPI_Comm* out, MPI_Request* request) noexcept {
  call::wrapper_scope scope(Fn::id);
  const resolved<kind::comm> from = resolve<kind::comm>(comm);
  if (!from.ok) return raise(MPI_COMM_NULL, Fn::id, neutral::err_comm, nullptr);
  kept_hints hints(given);
  if (!hints.ok()) return raise(comm, Fn::id, neutral::err_no_mem, no_info_id);
  const auto how = [] { return waiting{.blocking = false, .waits_for_all = false}; };
  vid::group_clock& clock = clock_of_started(from.e->what);
  if (!start_collective(scope, clock, from.e, how))
    return raise(comm, Fn::id, neutral::err_unsupported_operation, refused_by_clock);
  reserved_comm id;
  request_entry* const r = id.ok() ? new_collective(*from.e) : nullptr;
  const auto give_up = [&](int error, const char* words) {
    if (r != nullptr) free_request(*r);
    retract_collective(clock);
    return raise(comm, Fn::id, error, words);
  };
  if (r == nullptr) return give_up(neutral::err_no_mem, "no free communicator or request id");
  const lower::services& s = *lower::the_bridge().service;
  const int rc = lower::cross([&] { return s.comm_idup(from.e->real, &id.real(), &r->real); });
  if (rc != neutral::success) return give_up(rc, nullptr);
  comm_entry_t& e = id.take();
  describe_comm(e.what, comm_groups(from.e->what), next_lineage(*from.e));
  inherit_errhandler(from.e->what, e.what);
  e.what.session = from.e->what.session;
  *out = app::from_virt<kind::comm>(vid::table<kind::comm>().id_of(e));
  *request = app::from_virt<kind::request>(vid::table<kind::request>().id_of(*r));
  const int after = copy_all(*from.e, e, hints);
  if (after == neutral::success) return MPI_SUCCESS;
  *out = MPI_COMM_NULL;
  return raise(comm, Fn::id, after, nullptr);
}

}  // namespace mana::object

namespace mana::manual {

inline int comm_idup(MPI_Comm comm, MPI_Comm* out, MPI_Request* request) noexcept {
  return object::idup_call<fn::comm_idup>(comm, object::hints_of_comm(comm), out, request);
}
inline int comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* out, MPI_Request* request) noexcept {
  return object::idup_call<fn::comm_idup_with_info>(comm, object::hints_of(info), out, request);
}

}  // namespace mana::manual
