// Partitioned communication: initialisation, partitions that are ready, partitions that have arrived.
#pragma once
#include <mana/call/library.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/datatype/calls/build.hpp>
#include <mana/object/message/state.hpp>
#include <mana/object/request/calls/request.hpp>
#include <mana/object/request/form/partitioned/partitioned.hpp>
#include <mana/object/request/state.hpp>

#include <new>

namespace mana::object {

/// MPI_Psend_init and MPI_Precv_init. No wildcards.
template <class Fn>
inline int init_partitioned(request_form form, const void* buffer, int partitions, std::int64_t count,
                            MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* out) noexcept {
  call::wrapper_scope scope(Fn::id);
  const message_arguments m(buffer, count, type, peer, tag, comm);
  if (m.error != 0) return raise(m.error == neutral::err_comm ? MPI_COMM_NULL : comm, Fn::id, m.error, nullptr);
  const bool is_send = form == request_form::send;
  const bool has_peer = m.peer != neutral::proc_null;
  std::int64_t total = 0;
  if (m.peer == neutral::any_source || m.peer < neutral::proc_null)
    return raise(comm, Fn::id, neutral::err_rank, "a partitioned message has one peer");
  if (tag < 0) return raise(comm, Fn::id, neutral::err_tag, "a partitioned message has one tag");
  if (partitions < 0) return raise(comm, Fn::id, neutral::err_arg, "negative number of partitions");
  if (count < 0 || __builtin_mul_overflow(count, partitions, &total))
    return raise(comm, Fn::id, neutral::err_count, nullptr);
  if (!comms().partitioned.real)
    return raise(comm, Fn::id, neutral::err_unsupported_operation, "this MPI has no partitioned communication");

  request_entry* const e = new_message(form, comms().partitioned);
  auto* const parts = e != nullptr ? new (std::nothrow) partitioned_transfer : nullptr;
  if (parts == nullptr) {
    if (e != nullptr) free_request(*e);
    return raise(comm, Fn::id, neutral::err_no_mem, "no memory, or no free request id");
  }
  descriptor<kind::request>& r = e->what;
  describe(r, m, lower::send_mode::standard);
  r.message().count = total;
  r.message().peer = has_peer ? m.messages().peers->world_ranks[m.peer] : int{neutral::proc_null};
  r.state = request_stage::inactive;
  r.persistent = true;
  r.message().parts = parts;
  parts->peer = m.peer;
  parts->partitions = partitions;
  std::int64_t bytes = 0;
  parts->needs_large_counts =
      __builtin_mul_overflow(total, layout_of(m.type).size, &bytes) || bytes > INT_MAX / 2;
  if (has_peer) parts->channel = next_channel(m.comm.e->what, m.peer, m.tag, is_send);
  if (has_peer && is_send) {
    r.message().tag = parts->channel.number = take_channel_number(r.message().peer);
    if (r.message().tag == 0) {
      delete std::exchange(r.message().parts, nullptr);
      free_request(*e);
      return raise(comm, Fn::id, neutral::err_no_mem, "no number is left for partitioned messages to this process");
    }
  }
  if (call::library().callers == turns::at_once) requests().shares_requests = true;
  if (has_peer && !is_send) look_for_pair(*e);
  *out = app::from_virt<kind::request>(vid::table<kind::request>().id_of(*e));
  return MPI_SUCCESS;
}

/// A started partitioned send with partitions that are not ready; nullptr for anything else.
inline request_entry* find_unready_send(MPI_Request request) noexcept {
  request_entry* e = nullptr;
  if (look_up(request, e) != found_request::live || e->what.parts() == nullptr) return nullptr;
  return e->what.form == request_form::send && e->what.state == request_stage::unready ? e : nullptr;
}
inline bool is_partition(const request_entry& e, int partition) noexcept {
  return partition >= 0 && partition < e.what.parts()->partitions;
}

}  // namespace mana::object

namespace mana::manual {

inline int psend_init(const void* b, int p, MPI_Count n, MPI_Datatype t, int d, int g, MPI_Comm c, MPI_Info,
                      MPI_Request* r) noexcept {
  return object::init_partitioned<fn::psend_init>(object::request_form::send, b, p, n, t, d, g, c, r);
}
inline int precv_init(void* b, int p, MPI_Count n, MPI_Datatype t, int s, int g, MPI_Comm c, MPI_Info,
                      MPI_Request* r) noexcept {
  return object::init_partitioned<fn::precv_init>(object::request_form::recv, b, p, n, t, s, g, c, r);
}

inline int pready_range(int low, int high, MPI_Request request) noexcept {
  call::wrapper_scope scope(fn::pready_range::id);
  object::request_entry* const e = object::find_unready_send(request);
  if (e == nullptr) return object::raise_request(fn::pready_range::id, neutral::err_request);
  if (!object::is_partition(*e, low) || !object::is_partition(*e, high) || low > high)
    return object::raise_request(fn::pready_range::id, neutral::err_arg);
  return object::raise_request(fn::pready_range::id, object::mark_ready(*e, high - low + 1));
}
inline int pready(int partition, MPI_Request request) noexcept {
  call::wrapper_scope scope(fn::pready::id);
  object::request_entry* const e = object::find_unready_send(request);
  if (e == nullptr) return object::raise_request(fn::pready::id, neutral::err_request);
  if (!object::is_partition(*e, partition)) return object::raise_request(fn::pready::id, neutral::err_arg);
  return object::raise_request(fn::pready::id, object::mark_ready(*e, 1));
}
inline int pready_list(int n, const int* partitions, MPI_Request request) noexcept {
  call::wrapper_scope scope(fn::pready_list::id);
  object::request_entry* const e = object::find_unready_send(request);
  if (e == nullptr) return object::raise_request(fn::pready_list::id, neutral::err_request);
  if (n < 0 || !std::all_of(partitions, partitions + n, [&](int p) { return object::is_partition(*e, p); }))
    return object::raise_request(fn::pready_list::id, neutral::err_arg);
  return n == 0 ? MPI_SUCCESS : object::raise_request(fn::pready_list::id, object::mark_ready(*e, n));
}

/// Partitions arrive together. True for a request that is null or inactive, as in MPI_Test.
inline int parrived(MPI_Request request, int partition, int* flag) noexcept {
  call::wrapper_scope scope(fn::parrived::id);
  object::request_entry* e = nullptr;
  const object::found_request found = object::look_up(request, e);
  const bool is_receive = e != nullptr && e->what.parts() != nullptr && e->what.form == object::request_form::recv;
  if (found == object::found_request::foreign || (e != nullptr && !is_receive))
    return object::raise_request(fn::parrived::id, neutral::err_request);
  if (e != nullptr && !object::is_partition(*e, partition))
    return object::raise_request(fn::parrived::id, neutral::err_arg);
  object::request_entry* list[] = {e};
  *flag = !object::awaits(e) || e->what.state == object::request_stage::done || object::probe_entries(1, list) > 0;
  return MPI_SUCCESS;
}

}  // namespace mana::manual
