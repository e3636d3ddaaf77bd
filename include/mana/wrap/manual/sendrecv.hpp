// MPI_Sendrecv and MPI_Sendrecv_replace: a receive and a send that are waited for together.
#pragma once
#include <mana/wrap/manual/buffered.hpp>

namespace mana::wrap {

/// Starts both, waits for both. The receive is posted first, as a program would.
template <class Fn>
inline int exchange(wrapper_scope& scope, const message_arguments& out, const message_arguments& in, MPI_Comm comm,
                    MPI_Status* status) noexcept {
  request_entry* both[2] = {new_request(vid::request_form::recv, in.ranks()),
                            new_request(vid::request_form::send, out.ranks())};
  if (both[0] == nullptr || both[1] == nullptr) {
    if (both[0] != nullptr) free_request(*both[0]);
    return raise(comm, Fn::id, neutral::err_no_mem, "no free request id");
  }
  describe(both[0]->what, in, lower::send_mode::standard);
  describe(both[1]->what, out, lower::send_mode::standard);
  int rc = start_request(*both[0], *in.comm.e, in.type.real);
  if (rc == neutral::success) {
    rc = start_request(*both[1], *out.comm.e, out.type.real);
    if (rc != neutral::success) {      // the receive must not stay behind, with nobody to complete it
      const lower::services& s = *lower::the_bridge().service;
      if (both[0]->real != 0) lower::cross([&] { return s.cancel(both[0]->real); });
      await_one(scope, *both[0]);
    } else {
      await(scope, 2, both, 2);
    }
  }
  const neutral::status received = both[0]->what.status;
  const int sent = both[1]->what.status.error;
  free_request(*both[0]);
  free_request(*both[1]);
  if (rc == neutral::success) rc = received.error != neutral::success ? received.error : sent;
  if (status != MPI_STATUS_IGNORE && (rc == neutral::success || rc == neutral::err_truncate))
    app::store_status(status, received);
  return rc == neutral::success ? MPI_SUCCESS : raise(comm, Fn::id, rc, nullptr);
}

template <class Fn>
inline int sendrecv_call(const void* sb, std::int64_t sn, MPI_Datatype st, int dest, int stag, void* rb,
                         std::int64_t rn, MPI_Datatype rt, int source, int rtag, MPI_Comm comm,
                         MPI_Status* status) noexcept {
  wrapper_scope scope(Fn::id);
  const message_arguments out(sb, sn, st, dest, stag, comm), in(rb, rn, rt, source, rtag, comm);
  const int error = out.error != 0 ? out.error : in.error;
  if (error != 0) return raise(error == neutral::err_comm ? MPI_COMM_NULL : comm, Fn::id, error, nullptr);
  return exchange<Fn>(scope, out, in, comm, status);
}

template <class Fn>
inline int sendrecv_replace_call(void* buffer, std::int64_t n, MPI_Datatype type, int dest, int stag, int source,
                                 int rtag, MPI_Comm comm, MPI_Status* status) noexcept {
  wrapper_scope scope(Fn::id);
  const message_arguments in(buffer, n, type, source, rtag, comm);
  message_arguments out(buffer, n, type, dest, stag, comm);
  int error = in.error != 0 ? in.error : out.error;
  if (error == 0 && n > INT32_MAX) error = neutral::err_count;
  if (error != 0) return raise(error == neutral::err_comm ? MPI_COMM_NULL : comm, Fn::id, error, nullptr);

  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  int size = 0, position = 0;
  int rc = lower::cross([&] { return mpi.MPI_Pack_size(static_cast<int>(n), in.type.real, in.comm.real, &size); });
  if (rc != neutral::success) return raise(comm, Fn::id, rc, nullptr);
  scratch<char, 512> copy(size > 0 ? size : 1);
  rc = lower::cross([&] {
    return mpi.MPI_Pack(buffer, static_cast<int>(n), in.type.real, copy.data(), size, &position, in.comm.real); });
  if (rc != neutral::success) return raise(comm, Fn::id, rc, nullptr);
  out.buffer = copy.data();
  out.count = position;
  out.type = {true, neutral::packed, nullptr, lower::the_bridge().predefined_real[neutral::packed]};
  return exchange<Fn>(scope, out, in, comm, status);
}

}  // namespace mana::wrap

namespace mana::manual {

#define MANA_SENDRECV(suffix, count_type)                                                                            \
  inline int sendrecv##suffix(const void* sb, count_type sn, MPI_Datatype st, int d, int sg, void* rb, count_type rn,\
                              MPI_Datatype rt, int s, int rg, MPI_Comm c, MPI_Status* status) noexcept {             \
    return wrap::sendrecv_call<fn::sendrecv##suffix>(sb, sn, st, d, sg, rb, rn, rt, s, rg, c, status); }             \
  inline int sendrecv_replace##suffix(void* b, count_type n, MPI_Datatype t, int d, int sg, int s, int rg,           \
                                      MPI_Comm c, MPI_Status* status) noexcept {                                     \
    return wrap::sendrecv_replace_call<fn::sendrecv_replace##suffix>(b, n, t, d, sg, s, rg, c, status); }
MANA_SENDRECV(, int)
MANA_SENDRECV(_c, MPI_Count)
#undef MANA_SENDRECV

}  // namespace mana::manual
