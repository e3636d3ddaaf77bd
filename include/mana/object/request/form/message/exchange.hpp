// MPI_Sendrecv, MPI_Isendrecv and their forms with one buffer: a receive and a send that are completed together.
#pragma once
#include <mana/object/request/form/message/buffered.hpp>

#include <cstdlib>
#include <optional>

namespace mana::object {

/// The two parts of one call. Neither is started.
struct exchange_parts {
  request_entry* recv;
  request_entry* send;
  exchange_parts(const message_arguments& out, const message_arguments& in) noexcept
      : recv(new_message(request_form::recv, *in.comm.e)), send(new_message(request_form::send, *out.comm.e)) {
    if (recv != nullptr) describe(recv->what, in, lower::send_mode::standard);
    if (send != nullptr) describe(send->what, out, lower::send_mode::standard);
  }
  bool ok() const noexcept { return recv != nullptr && send != nullptr; }
  void free() noexcept {
    if (recv != nullptr) free_request(*recv);
    if (send != nullptr) free_request(*send);
  }
};

/// Posts the receive first, as a program would. out: neutral error class; after an error neither part is under way
inline int start_both(call::wrapper_scope& scope, exchange_parts& parts, const message_arguments& out,
                      const message_arguments& in) noexcept {
  int rc = start_request(*parts.recv, *in.comm.e, in.type.real);
  if (rc != neutral::success) return rc;
  rc = start_request(*parts.send, *out.comm.e, out.type.real);
  if (rc != neutral::success) {        // the receive must not stay pending, because nobody would complete it
    const lower::services& s = *lower::the_bridge().service;
    if (parts.recv->real) lower::cross([&] { return s.cancel(parts.recv->real); });
    await_one(scope, *parts.recv);
  }
  return rc;
}

/// Starts both parts, waits for both. May park. out: neutral error class
inline int exchange_messages(call::wrapper_scope& scope, const message_arguments& out, const message_arguments& in,
                             neutral::status& received) noexcept {
  exchange_parts parts(out, in);
  int rc = parts.ok() ? start_both(scope, parts, out, in) : int{neutral::err_no_mem};
  if (rc == neutral::success) {
    request_entry* both[] = {parts.recv, parts.send};
    await(scope, 2, both, 2);
    received = parts.recv->what.status;
    rc = received.error != neutral::success ? received.error : parts.send->what.status.error;
  }
  parts.free();
  return rc;
}

template <class Fn>
inline int exchange(call::wrapper_scope& scope, const message_arguments& out, const message_arguments& in,
                    MPI_Comm comm, MPI_Status* status) noexcept {
  neutral::status received{};
  const int rc = exchange_messages(scope, out, in, received);
  if (status != MPI_STATUS_IGNORE && (rc == neutral::success || rc == neutral::err_truncate))
    app::store_status(status, received);
  return rc == neutral::success ? MPI_SUCCESS : raise(comm, Fn::id, rc, nullptr);
}

/// Starts both parts as one request. copy: the data to send, from malloc, if it is no buffer of the program's; the
/// request takes ownership
template <class Fn>
inline int start_exchange(call::wrapper_scope& scope, const message_arguments& out, const message_arguments& in,
                          MPI_Comm comm, void* copy, MPI_Request* request) noexcept {
  exchange_parts parts(out, in);
  if (parts.send == nullptr) std::free(copy);
  else if (copy != nullptr) own_memory(parts.send->what, copy);
  const int rc = parts.ok() ? start_both(scope, parts, out, in) : int{neutral::err_no_mem};
  if (rc != neutral::success) {
    parts.free();
    return raise(comm, Fn::id, rc, nullptr);
  }
  request_entry& e = *parts.recv;
  e.what.message().is_exchange = true;
  e.what.message().send_part = parts.send;
  if (e.what.state == request_stage::done) go_on_as_send(e);
  *request = app::from_virt<kind::request>(vid::table<kind::request>().id_of(e));
  return MPI_SUCCESS;
}

/// Checks the arguments, then makes the call by use(scope, message to send, message to receive).
template <class Fn, class Use>
inline int sendrecv_call(const void* sb, std::int64_t sn, MPI_Datatype st, int dest, int stag, void* rb,
                         std::int64_t rn, MPI_Datatype rt, int source, int rtag, MPI_Comm comm, Use&& use) noexcept {
  call::wrapper_scope scope(Fn::id);
  const message_arguments out(sb, sn, st, dest, stag, comm), in(rb, rn, rt, source, rtag, comm);
  const int error = out.error != 0 ? out.error : in.error;
  if (error != 0) return raise(error == neutral::err_comm ? MPI_COMM_NULL : comm, Fn::id, error, nullptr);
  return use(scope, out, in);
}

/// The same with one buffer: the data to send is packed into memory of its own. room(bytes): allocates that memory
template <class Fn, class Room, class Use>
inline int sendrecv_replace_call(void* buffer, std::int64_t n, MPI_Datatype type, int dest, int stag, int source,
                                 int rtag, MPI_Comm comm, Room&& room, Use&& use) noexcept {
  call::wrapper_scope scope(Fn::id);
  const message_arguments in(buffer, n, type, source, rtag, comm);
  message_arguments out(buffer, n, type, dest, stag, comm);
  const int error = in.error != 0 ? in.error : out.error;
  if (error != 0) return raise(error == neutral::err_comm ? MPI_COMM_NULL : comm, Fn::id, error, nullptr);

  std::int64_t size = 0, packed_bytes = 0;
  int rc = packed_room(in, &size);
  if (rc != neutral::success) return raise(comm, Fn::id, rc, nullptr);
  char* const copy = room(size > 0 ? size : 1);
  rc = pack_into(in, copy, size, &packed_bytes);
  out.buffer = copy;
  out.count = packed_bytes;
  out.type = {true, neutral::packed, nullptr, lower::predefined(neutral::packed)};
  return use(scope, rc, out, in);
}

template <class Fn>
inline int sendrecv_replace(void* buffer, std::int64_t n, MPI_Datatype type, int dest, int stag, int source, int rtag,
                            MPI_Comm comm, MPI_Status* status) noexcept {
  std::optional<scratch<char, 512>> copy;
  return sendrecv_replace_call<Fn>(
      buffer, n, type, dest, stag, source, rtag, comm, [&](std::int64_t bytes) { return copy.emplace(bytes).data(); },
      [&](call::wrapper_scope& scope, int rc, const message_arguments& out, const message_arguments& in) {
        return rc == neutral::success ? exchange<Fn>(scope, out, in, comm, status) : raise(comm, Fn::id, rc, nullptr);
      });
}

template <class Fn>
inline int isendrecv_replace(void* buffer, std::int64_t n, MPI_Datatype type, int dest, int stag, int source, int rtag,
                             MPI_Comm comm, MPI_Request* request) noexcept {
  void* copy = nullptr;
  const auto room = [&](std::int64_t bytes) {
    copy = std::malloc(static_cast<std::size_t>(bytes));
    if (copy == nullptr) std::abort();
    return static_cast<char*>(copy);
  };
  return sendrecv_replace_call<Fn>(
      buffer, n, type, dest, stag, source, rtag, comm, room,
      [&](call::wrapper_scope& scope, int rc, const message_arguments& out, const message_arguments& in) {
        if (rc == neutral::success) return start_exchange<Fn>(scope, out, in, comm, copy, request);
        std::free(copy);
        return raise(comm, Fn::id, rc, nullptr);
      });
}

}  // namespace mana::object

namespace mana::manual {

#define MANA_SENDRECV(suffix, count_type)                                                                            \
  inline int sendrecv##suffix(const void* sb, count_type sn, MPI_Datatype st, int d, int sg, void* rb, count_type rn,\
                              MPI_Datatype rt, int s, int rg, MPI_Comm c, MPI_Status* status) noexcept {             \
    using f = fn::sendrecv##suffix;                                                                                  \
    return object::sendrecv_call<f>(sb, sn, st, d, sg, rb, rn, rt, s, rg, c,                                           \
        [&](auto& scope, const auto& out, const auto& in) { return object::exchange<f>(scope, out, in, c, status); }); } \
  inline int sendrecv_replace##suffix(void* b, count_type n, MPI_Datatype t, int d, int sg, int s, int rg,           \
                                      MPI_Comm c, MPI_Status* status) noexcept {                                     \
    return object::sendrecv_replace<fn::sendrecv_replace##suffix>(b, n, t, d, sg, s, rg, c, status); }                 \
  inline int isendrecv##suffix(const void* sb, count_type sn, MPI_Datatype st, int d, int sg, void* rb, count_type rn,\
                               MPI_Datatype rt, int s, int rg, MPI_Comm c, MPI_Request* request) noexcept {          \
    using f = fn::isendrecv##suffix;                                                                                 \
    return object::sendrecv_call<f>(sb, sn, st, d, sg, rb, rn, rt, s, rg, c,                                           \
        [&](auto& scope, const auto& out, const auto& in) {                                                          \
          return object::start_exchange<f>(scope, out, in, c, nullptr, request); }); }                                 \
  inline int isendrecv_replace##suffix(void* b, count_type n, MPI_Datatype t, int d, int sg, int s, int rg,          \
                                       MPI_Comm c, MPI_Request* request) noexcept {                                  \
    return object::isendrecv_replace<fn::isendrecv_replace##suffix>(b, n, t, d, sg, s, rg, c, request); }
MANA_SENDRECV(, int)
MANA_SENDRECV(_c, MPI_Count)
#undef MANA_SENDRECV

}  // namespace mana::manual
