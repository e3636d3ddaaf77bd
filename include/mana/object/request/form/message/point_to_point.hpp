// Point-to-point messages. A blocking call is a non-blocking start and an interruptible wait inside the lower half (one
// visit). A non-blocking call returns a virtual request.
#pragma once
#include <mana/app/argument.hpp>
#include <mana/call/library.hpp>
#include <mana/object/comm/counting.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/errhandler/calls.hpp>
#include <mana/object/message/state.hpp>
#include <mana/object/request/blocking_hold.hpp>
#include <mana/object/request/completion/completion.hpp>
#include <mana/object/request/completion/handshake.hpp>
#include <mana/object/request/state.hpp>
#include <mana/object/request/synchronous.hpp>

namespace mana::object {

/// The arguments of one message, translated. error: neutral class of the first wrong argument.
struct message_arguments {
  resolved<kind::comm> comm;
  resolved<kind::datatype> type;
  void* buffer;
  std::int64_t count;
  int peer, tag;
  int error = neutral::success;

  [[gnu::always_inline]]
  message_arguments(const void* given, std::int64_t n, MPI_Datatype datatype, int app_peer, int app_tag,
                    MPI_Comm c) noexcept
      : comm(resolve<kind::comm>(c)), type(resolve<kind::datatype>(datatype)), buffer(const_cast<void*>(given)),
        count(n) {
    const neutral::envelope given_there = app::neutral_envelope(app_peer, app_tag);
    peer = given_there.rank;
    tag = given_there.tag;
    if (!comm.ok) error = neutral::err_comm;
    else if (!type.ok) error = neutral::err_type;
    else if (peer >= comm.e->what.peers->size || peer < neutral::proc_null) error = neutral::err_rank;
  }
  /// A message between wrappers. n: bytes; other: world rank
  message_arguments(void* bytes, std::int64_t n, int other, int on_tag) noexcept
      : comm{true, neutral::comm_hidden, &comms().hidden, comms().hidden.real},
        type{true, neutral::byte, nullptr, lower::predefined(neutral::byte)}, buffer(bytes), count(n),
        peer(other), tag(on_tag) {}
  traffic& messages() const noexcept { return *comm.e->what.messages; }
};

/// Describes a request on the message's communicator, and keeps the datatype. Always inlined: then the members that
/// new_message() writes are written only once.
[[gnu::always_inline]] inline void describe(descriptor<kind::request>& r, const message_arguments& m,
                                            lower::send_mode mode) noexcept {
  message_part& own = r.message();
  own.mode = mode;
  own.peer = m.peer;
  own.tag = m.tag;
  r.names.datatype = name_of(m.type);
  if (m.type.e != nullptr) [[unlikely]] {
    count_up(m.type.e->references, call::library().callers);
    r.keep_more();
  }
  own.buffer = m.buffer;
  own.count = m.count;
}

/// Hands a drained message over as if it had just arrived, and frees it.
inline neutral::status deliver(held_message* held, void* buffer, std::int64_t count,
                               real<kind::datatype> type) noexcept {
  const lower::services& s = *lower::the_bridge().service;
  neutral::status status = status_of(*held);
  neutral::status laid_out{};
  status.error = lower::cross([&] { return s.deliver(held->data(), held->bytes, buffer, count, type, &laid_out); });
  if (status.error == neutral::success || status.error == neutral::err_truncate)
    status.count_bytes = laid_out.count_bytes;
  if (held->awaited.world_rank >= 0) [[unlikely]] acknowledge(held->awaited);
  inbox::destroy(held);
  return status;
}

/// The first drained message that such a receive matches; nullptr if the message must come from the network.
inline held_message* take_held(const descriptor<kind::comm>& comm, int source, int tag) noexcept {
  held_message* found = nullptr;
  with_inbox([&](inbox& in) { found = in.take(comm.context, source, tag); });
  return found;
}

/// Whether a drained message matches, and a probe's status for it. Another thread may take the message at once.
inline bool probe_held(const descriptor<kind::comm>& comm, int source, int tag, neutral::status& status) noexcept {
  bool is_there = false;
  with_inbox([&](const inbox& in) {
    const held_message* const held = in.find(comm.context, source, tag);
    is_there = held != nullptr;
    if (is_there) status = status_of(*held);
  });
  return is_there;
}

/// Starts the operation of the descriptor. The entry becomes active, or done if a drained message was waiting.
/// in: on, type  the descriptor's objects, looked up      out: neutral error class
inline int start_request(request_entry& e, const vid::entry<kind::comm>& on, real<kind::datatype> type) noexcept {
  descriptor<kind::request>& r = e.what;
  message_part& m = r.message();
  const lower::services& s = *lower::the_bridge().service;
  const auto comm = on.real;
  r.state = request_stage::active;
  if (r.form == request_form::send) {
    if (m.mode == lower::send_mode::synchronous) [[unlikely]] open_synchronous(r);
    else count_sent(*r.messages, m.peer, m.tag);
    const int rc = lower::cross([&] { return s.isend(m.mode, m.buffer, m.count, type, m.peer, m.tag, comm, &e.real); });
    if (rc != neutral::success) [[unlikely]] take_back(r);
    return rc;
  }
  if (held_message* const held = take_held(on.what, m.peer, m.tag)) {
    r.status = deliver(held, m.buffer, m.count, type);
    note_received(*r.messages, r.status.source, r.status.tag);
    r.state = request_stage::done;
    return neutral::success;
  }
  m.posted = take_next(requests().next_posted, call::library().callers);
  return lower::cross([&] { return s.irecv(m.buffer, m.count, type, m.peer, m.tag, comm, &e.real); });
}

/// A blocking send by a request of its own: its message must be known before another thread sends a later one.
template <class Fn>
inline int send_by_request(call::wrapper_scope& scope, lower::send_mode mode, const message_arguments& m,
                           MPI_Comm comm) noexcept {
  request_entry* const e = new_message(request_form::send, *m.comm.e);
  if (e == nullptr) return raise(comm, Fn::id, neutral::err_no_mem, no_request_id);
  describe(e->what, m, mode);
  int error = start_request(*e, *m.comm.e, m.type.real);
  if (error == neutral::success) {
    await_one(scope, *e);
    error = e->what.status.error;
  }
  free_request(*e);
  return error == neutral::success ? MPI_SUCCESS : raise(comm, Fn::id, error, nullptr);
}

template <class Fn>
inline int send_blocking(lower::send_mode mode, const void* buffer, std::int64_t count, MPI_Datatype type, int dest,
                         int tag, MPI_Comm comm) noexcept {
  call::wrapper_scope scope(Fn::id);
  const message_arguments m(buffer, count, type, dest, tag, comm);
  if (m.error != 0) return raise(m.error == neutral::err_comm ? MPI_COMM_NULL : comm, Fn::id, m.error, nullptr);
  if (mode == lower::send_mode::synchronous && call::library().callers == turns::at_once)
    return send_by_request<Fn>(scope, mode, m, comm);
  const blocking_hold hold(m.comm.e, m.type.e);
  // Count it before it is posted: a later synchronous send of another thread must not count it as sent after itself.
  const bool counts_now = mode != lower::send_mode::synchronous;
  if (counts_now) count_sent(m.messages(), m.peer, m.tag);
  const lower::services& s = *lower::the_bridge().service;
  real<kind::request> pending{};
  const int rc = lower::cross([&] {
    return s.send(mode, m.buffer, m.count, m.type.real, m.peer, m.tag, m.comm.real, &pending); });
  if (rc != neutral::success) {
    if (counts_now) uncount_sent(m.messages(), m.peer);
    return raise(comm, Fn::id, rc, nullptr);
  }
  if (!pending) [[likely]] {
    if (!counts_now) count_sent(m.messages(), m.peer, m.tag);
    return MPI_SUCCESS;
  }
  request_entry* const e = new_message(request_form::send, *m.comm.e);
  if (e == nullptr) {
    if (!counts_now) count_sent(m.messages(), m.peer, m.tag);
    lower::cross([&] { return s.request_free(pending); });       // the send ends when its receiver receives it
    return raise(comm, Fn::id, neutral::err_no_mem, no_request_id);
  }
  describe(e->what, m, mode);
  e->real = pending;
  if (!counts_now) open_synchronous(e->what);
  await_one(scope, *e);
  const int error = e->what.status.error;
  free_request(*e);
  return error == neutral::success ? MPI_SUCCESS : raise(comm, Fn::id, error, nullptr);
}

/// Ends a pending receive for which no id is left: cancels it, unless a message has come for it. Afterwards the live
/// MPI needs nobody to complete it.
[[gnu::noinline, gnu::cold]] inline neutral::status end_receive(const message_arguments& m,
                                                                real<kind::request> pending) noexcept {
  const lower::services& s = *lower::the_bridge().service;
  neutral::status status{};
  lower::cross([&] {
    s.cancel(pending);
    while (s.test_some(1, &pending, &status) == 0) {}
  });
  if (status.cancelled != 0) return status;
  count_received(m.messages(), status.source);
  note_received(m.messages(), status.source, status.tag);
  return status;
}

/// Continues a receive that a checkpoint has interrupted. May park. The arguments are passed by value, so that a call
/// that is not interrupted keeps none of them in memory.
/// out: false: it has ended without a message, because no id was left
[[gnu::noinline, gnu::cold]] inline bool await_receive(call::wrapper_scope& scope, message_arguments m,
                                                       real<kind::request> pending, neutral::status& status) noexcept {
  request_entry* const e = new_message(request_form::recv, *m.comm.e);
  if (e == nullptr) {
    status = end_receive(m, pending);
    return status.cancelled == 0;
  }
  describe(e->what, m, lower::send_mode::standard);
  e->what.message().posted = take_next(requests().next_posted, call::library().callers);
  e->real = pending;
  await_one(scope, *e);
  status = e->what.status;
  free_request(*e);
  return true;
}

template <class Fn>
inline int recv_blocking(void* buffer, std::int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                         MPI_Status* out) noexcept {
  call::wrapper_scope scope(Fn::id);
  const message_arguments m(buffer, count, type, source, tag, comm);
  if (m.error != 0) return raise(m.error == neutral::err_comm ? MPI_COMM_NULL : comm, Fn::id, m.error, nullptr);
  const blocking_hold hold(m.comm.e, m.type.e);
  neutral::status status{};
  real<kind::request> pending{};
  if (held_message* const held = take_held(m.comm.e->what, m.peer, m.tag)) {
    status = deliver(held, buffer, count, m.type.real);
    note_received(m.messages(), status.source, status.tag);
  } else {
    const lower::services& s = *lower::the_bridge().service;
    const int rc = lower::cross([&] {
      return s.recv(m.buffer, m.count, m.type.real, m.peer, m.tag, m.comm.real, &status, &pending); });
    if (!pending) [[likely]] {
      status.error = rc;
      if (rc == neutral::success || rc == neutral::err_truncate) {
        count_received(m.messages(), status.source);
        note_received(m.messages(), status.source, status.tag);
      }
    } else {
      if (!await_receive(scope, m, pending, status)) return raise(comm, Fn::id, neutral::err_no_mem, no_request_id);
    }
  }
  if (out != MPI_STATUS_IGNORE) app::store_status(out, status);
  return status.error == neutral::success ? MPI_SUCCESS : raise(comm, Fn::id, status.error, nullptr);
}

inline int start_persistent(request_entry& e) noexcept {
  return start_request(e, *e.what.on, real_of<kind::datatype>(e.what.names.datatype));
}

template <class Fn>
inline int start_nonblocking(request_form form, lower::send_mode mode, const void* buffer, std::int64_t count,
                             MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* out,
                             bool persistent = false) noexcept {
  call::wrapper_scope scope(Fn::id);
  const message_arguments m(buffer, count, type, peer, tag, comm);
  if (m.error != 0) return raise(m.error == neutral::err_comm ? MPI_COMM_NULL : comm, Fn::id, m.error, nullptr);
  request_entry* const e = new_message(form, *m.comm.e);
  if (e == nullptr) return raise(comm, Fn::id, neutral::err_no_mem, no_request_id);
  describe(e->what, m, mode);
  e->what.persistent = persistent;
  if (persistent) {
    e->what.state = request_stage::inactive;
  } else if (const int rc = start_request(*e, *m.comm.e, m.type.real); rc != neutral::success) {
    free_request(*e);
    return raise(comm, Fn::id, rc, nullptr);
  }
  *out = app::from_virt<kind::request>(vid::table<kind::request>().id_of(*e));
  return MPI_SUCCESS;
}

}  // namespace mana::object

namespace mana::manual {

using lower::send_mode;
using object::request_form;

// Every mode in its blocking, non-blocking and persistent form, each with int and with MPI_Count counts.
#define MANA_SENDS(name, form, suffix, count_type)                                                                    \
  inline int name##suffix(const void* b, count_type n, MPI_Datatype t, int d, int g, MPI_Comm c) noexcept {           \
    return object::send_blocking<fn::name##suffix>(send_mode::form, b, n, t, d, g, c);                                  \
  }                                                                                                                   \
  inline int i##name##suffix(const void* b, count_type n, MPI_Datatype t, int d, int g, MPI_Comm c,                   \
                             MPI_Request* r) noexcept {                                                               \
    return object::start_nonblocking<fn::i##name##suffix>(request_form::send, send_mode::form, b, n, t, d, g, c, r);    \
  }                                                                                                                   \
  inline int name##_init##suffix(const void* b, count_type n, MPI_Datatype t, int d, int g, MPI_Comm c,               \
                                 MPI_Request* r) noexcept {                                                           \
    return object::start_nonblocking<fn::name##_init##suffix>(request_form::send, send_mode::form, b, n, t, d, g, c, r, \
                                                            true);                                                    \
  }

#define MANA_RECEIVES(suffix, count_type)                                                                              \
  inline int recv##suffix(void* b, count_type n, MPI_Datatype t, int s, int g, MPI_Comm c, MPI_Status* st) noexcept {  \
    return object::recv_blocking<fn::recv##suffix>(b, n, t, s, g, c, st);                                                \
  }                                                                                                                    \
  inline int irecv##suffix(void* b, count_type n, MPI_Datatype t, int s, int g, MPI_Comm c, MPI_Request* r) noexcept { \
    return object::start_nonblocking<fn::irecv##suffix>(request_form::recv, send_mode::standard, b, n, t, s, g, c, r);   \
  }                                                                                                                    \
  inline int recv_init##suffix(void* b, count_type n, MPI_Datatype t, int s, int g, MPI_Comm c,                        \
                               MPI_Request* r) noexcept {                                                              \
    return object::start_nonblocking<fn::recv_init##suffix>(request_form::recv, send_mode::standard, b, n, t, s, g, c,   \
                                                          r, true);                                                    \
  }

MANA_SENDS(send, standard, , int)
MANA_SENDS(send, standard, _c, MPI_Count)
MANA_SENDS(ssend, synchronous, , int)
MANA_SENDS(ssend, synchronous, _c, MPI_Count)
MANA_SENDS(rsend, ready, , int)
MANA_SENDS(rsend, ready, _c, MPI_Count)
MANA_RECEIVES(, int)
MANA_RECEIVES(_c, MPI_Count)
#undef MANA_SENDS
#undef MANA_RECEIVES

}  // namespace mana::manual
