// Buffers of communicators and sessions, and waits for what was sent from a buffer (MPI-4.1, 3.6). Plain data, over any
// live MPI.
#pragma once
#include <mana/call/declared.hpp>
#include <mana/object/request/calls/request.hpp>
#include <mana/object/session/calls/session.hpp>

#include <new>

namespace mana::object {

/// Calls use(place) with the place of a communicator's buffer.
template <class Fn, class Use>
inline int with_buffer_of(MPI_Comm comm, Use&& use) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, Fn::id, neutral::err_comm, nullptr);
  const buffer_place place = place_of(c.e->what);
  return use(place);
}

template <class Fn>
inline int flush_buffer(const buffer_place& place) noexcept {
  call::wrapper_scope scope(Fn::id);
  await_buffer(scope, number_at(place), last_buffered());
  return MPI_SUCCESS;
}

/// The messages for which the request of MPI_Buffer_iflush and its like waits. To other code it is a generalized
/// request: it survives a restart as plain data, and the calls that wait for it look after the messages.
struct pending_flush {
  std::uint64_t buffer, last;          // numbers of the buffer and of its last message
  MPI_Request request = MPI_REQUEST_NULL;
};

/// poll_fn of such a request: completes it if the messages have left.
inline int poll_flush(void* of, MPI_Status*) noexcept {
  const pending_flush& flush = *static_cast<const pending_flush*>(of);
  call::wrapper_scope scope(fn::buffer_iflush::id);
  {
    const std::lock_guard hold(buffered_lock());
    sweep_buffered();
    if (unsent_from(flush.buffer, flush.last) != nullptr) return MPI_SUCCESS;
  }
  request_entry* e = nullptr;
  if (look_up(flush.request, e) != found_request::live || is_complete(*e)) return MPI_SUCCESS;
  if (complete_or_free(*e, true)) return free_now(*e);
  announce_completion();
  return MPI_SUCCESS;
}

template <class Fn>
inline int begin_flush(const buffer_place& place, MPI_Request* request) noexcept {
  auto* const flush = new (std::nothrow) pending_flush{number_at(place), last_buffered()};
  if (flush == nullptr) return fail(Fn::id, neutral::err_no_mem, no_request_id);
  const auto query = [](void*, MPI_Status*) { return int{MPI_SUCCESS}; };
  const auto free = [](void* of) {
    delete static_cast<pending_flush*>(of);
    return int{MPI_SUCCESS};
  };
  const auto cancel = [](void*, int) { return int{MPI_SUCCESS}; };
  const int rc = start_generalized<Fn>({query, free, cancel, flush, MPI_SUCCESS, false, false, poll_flush}, request);
  if (rc == MPI_SUCCESS) flush->request = *request;
  else delete flush;
  return rc;
}

}  // namespace mana::object

namespace mana::manual {

inline int buffer_flush() noexcept { return object::flush_buffer<fn::buffer_flush>({}); }
inline int buffer_iflush(MPI_Request* request) noexcept { return object::begin_flush<fn::buffer_iflush>({}, request); }

inline int comm_flush_buffer(MPI_Comm comm) noexcept {
  using f = fn::comm_flush_buffer;
  return object::with_buffer_of<f>(comm, [](const auto& place) { return object::flush_buffer<f>(place); });
}
inline int comm_iflush_buffer(MPI_Comm comm, MPI_Request* request) noexcept {
  using f = fn::comm_iflush_buffer;
  return object::with_buffer_of<f>(comm, [=](const auto& place) { return object::begin_flush<f>(place, request); });
}

#define MANA_BUFFER_OF_COMM(suffix, count_type)                                                                      \
  inline int comm_attach_buffer##suffix(MPI_Comm comm, void* b, count_type n) noexcept {                             \
    using f = fn::comm_attach_buffer##suffix;                                                                        \
    return object::with_buffer_of<f>(comm, [=](auto& at) { return object::attach_buffer<f>(at, comm, b, n); }); }    \
  inline int comm_detach_buffer##suffix(MPI_Comm comm, void* b, count_type* n) noexcept {                            \
    using f = fn::comm_detach_buffer##suffix;                                                                        \
    return object::with_buffer_of<f>(comm, [=](auto& at) { return object::detach_buffer<f>(at, b, n); }); }
MANA_BUFFER_OF_COMM(, int)
MANA_BUFFER_OF_COMM(_c, MPI_Count)
#undef MANA_BUFFER_OF_COMM

}  // namespace mana::manual

#if defined(MANA_DECLARES_MPI_Session_init)

namespace mana::object {

/// As with_buffer_of(), with a session's.
template <class Fn, class Use>
inline int with_buffer_of_session(MPI_Session session, Use&& use) noexcept {
  const session_entry* const s = find_session(session);
  if (s == nullptr) return fail(Fn::id, neutral::err_session, "null, stale or foreign session");
  const buffer_place place = place_of(*s);
  return use(place);
}

}  // namespace mana::object

namespace mana::manual {

inline int session_flush_buffer(MPI_Session session) noexcept {
  using f = fn::session_flush_buffer;
  return object::with_buffer_of_session<f>(session, [](const auto& place) { return object::flush_buffer<f>(place); });
}
inline int session_iflush_buffer(MPI_Session session, MPI_Request* request) noexcept {
  using f = fn::session_iflush_buffer;
  return object::with_buffer_of_session<f>(session, [=](auto& at) { return object::begin_flush<f>(at, request); });
}

#define MANA_BUFFER_OF_SESSION(suffix, count_type)                                                                   \
  inline int session_attach_buffer##suffix(MPI_Session session, void* b, count_type n) noexcept {                    \
    using f = fn::session_attach_buffer##suffix;                                                                     \
    return object::with_buffer_of_session<f>(session, [=](auto& at) {                                                \
      return object::attach_buffer<f>(at, MPI_COMM_NULL, b, n); }); }                                                \
  inline int session_detach_buffer##suffix(MPI_Session session, void* b, count_type* n) noexcept {                   \
    using f = fn::session_detach_buffer##suffix;                                                                     \
    return object::with_buffer_of_session<f>(session, [=](auto& at) { return object::detach_buffer<f>(at, b, n); }); }
MANA_BUFFER_OF_SESSION(, int)
MANA_BUFFER_OF_SESSION(_c, MPI_Count)
#undef MANA_BUFFER_OF_SESSION

}  // namespace mana::manual

#endif
