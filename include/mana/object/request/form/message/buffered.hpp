// Buffered sends. The data is copied into memory of the wrapper library and sent as MPI_PACKED. The attached buffer
// only limits how much may be under way. So MPI_Buffer_detach is an interruptible wait like any other, and a drain
// needs no special case. Buffers of communicators and sessions (MPI-4.1) are limits of their own, whatever the live MPI
// has.
#pragma once
#include <mana/object/comm/counting.hpp>
#include <mana/object/message/state.hpp>
#include <mana/object/request/form/message/packed_copy.hpp>
#include <mana/object/request/form/message/point_to_point.hpp>

#include <limits>
#include <list>
#include <mutex>

namespace mana::object {

/// The owner of a buffer.
struct buffer_place {
  enum { process, session, communicator } of = process;
  std::uint64_t key = 0;               // bits of the session's id; the communicator's context
  bool operator==(const buffer_place&) const = default;
};
inline buffer_place place_of(const descriptor<kind::comm>& comm) noexcept {
  return {buffer_place::communicator, comm.context};
}

/// A buffer that the program has attached: how many of its bytes are in use. The data itself lies in the wrapper
/// library's memory.
struct buffer_state {
  buffer_place place;
  std::uint64_t number = 0;            // names it in its messages; never reused. 0: the process's
  void* attached = nullptr;
  std::int64_t attached_size = 0, attached_used = 0;
};

struct all_buffers {
  buffer_state of_process;
  std::list<buffer_state> others;
  std::uint64_t given_out = 0;         // numbers of others
  std::uint64_t messages = 0;          // that were ever sent from a buffer; the last one's number
  std::uint64_t pending = 0;           // of these, those that are not swept yet
};
inline all_buffers the_buffers;
inline all_buffers& buffers() noexcept { return the_buffers; }

/// Protects the attached buffers and the requests of this form, which belong to no thread. Held across calls of the
/// live MPI that do not wait, never while parking.
inline std::mutex& buffered_lock() noexcept {
  static std::mutex lock;
  return lock;
}

// The callers of the next functions hold buffered_lock().

/// out: nullptr if none is attached there, or was
inline buffer_state* buffer_at(const buffer_place& place) noexcept {
  if (place == buffer_place{}) return &buffers().of_process;
  for (buffer_state& b : buffers().others)
    if (b.place == place) return &b;
  return nullptr;
}
/// out: nullptr if its communicator or session has ended
inline buffer_state* buffer_numbered(std::uint64_t number) noexcept {
  if (number == 0) return &buffers().of_process;
  for (buffer_state& b : buffers().others)
    if (b.number == number) return &b;
  return nullptr;
}
/// The buffer of messages on this communicator: its own, otherwise its session's, otherwise the process's (MPI-4.1
/// 3.6).
inline buffer_state& buffer_for(const descriptor<kind::comm>& comm) noexcept {
  if (buffers().others.empty()) [[likely]] return buffers().of_process;
  const buffer_place places[] = {place_of(comm), {buffer_place::session, comm.session}};
  for (const buffer_place& place : places)
    if (buffer_state* const b = buffer_at(place); b != nullptr && b->attached != nullptr) return *b;
  return buffers().of_process;
}

/// Frees the copies of completed buffered sends.
inline void sweep_buffered() noexcept {
  vid::table<kind::request>().for_each_unordered([](request_entry& e) {
    if (e.what.form != request_form::buffered) return;
    request_entry* list[] = {&e};
    if (e.what.state == request_stage::active) poll_entries(1, list, 0);
    if (e.what.state != request_stage::done) return;
    const message_part& m = e.what.message();
    if (buffer_state* const from = buffer_numbered(m.number)) from->attached_used -= m.count + family::buffered_overhead;
    --buffers().pending;
    std::free(m.buffer);
    free_request(e);
  });
}

/// A message from this buffer that is under way, and no younger than the message of number `last`; nullptr: there is
/// none.
inline request_entry* unsent_from(std::uint64_t buffer, std::uint64_t last) noexcept {
  request_entry* found = nullptr;
  vid::table<kind::request>().for_each_unordered([&](request_entry& e) {
    if (e.what.form != request_form::buffered) return;
    if (e.what.message().number == buffer && e.what.message().posted <= last) found = &e;
  });
  return found;
}

/// Releases the objects of buffered sends that have completed unnoticed.
inline void end_buffered() noexcept {
  if (__atomic_load_n(&buffers().pending, __ATOMIC_RELAXED) == 0) return;
  const std::lock_guard hold(buffered_lock());
  sweep_buffered();
}

/// Its session or communicator ends. Messages that are under way continue: their data is not in the buffer.
inline void forget_buffer(const buffer_place& place) noexcept {
  if (buffers().others.empty()) [[likely]] return;
  const std::lock_guard hold(buffered_lock());
  buffers().others.remove_if([&](const buffer_state& b) { return b.place == place; });
}

/// MPI_BUFFER_AUTOMATIC (MPI-4.1): a buffer without a limit.
inline bool is_automatic([[maybe_unused]] const void* buffer) noexcept {
#if defined(MPI_BUFFER_AUTOMATIC)
  return buffer == MPI_BUFFER_AUTOMATIC;
#else
  return false;
#endif
}

/// out: neutral error class; MPI_ERR_BUFFER if the attached buffer has no room
inline int send_buffered(const message_arguments& m, MPI_Comm) noexcept {
  if (m.peer == neutral::proc_null) return neutral::success;
  std::int64_t size = 0, packed_bytes = 0;
  int rc = packed_room(m, &size);
  if (rc != neutral::success) return rc;
  const std::lock_guard hold(buffered_lock());      // until the request, which other threads may see, has a real one
  buffer_state& from = buffer_for(m.comm.e->what);
  const auto has_room = [&] {
    return is_automatic(from.attached) || from.attached_used + size + family::buffered_overhead <= from.attached_size;
  };
  constexpr std::uint64_t sweep_after = 64;         // messages, without a limit that would ask for it
  if (!has_room() || buffers().pending % sweep_after == sweep_after - 1) sweep_buffered();
  if (!has_room()) return neutral::err_buffer;
  auto* const copy = static_cast<char*>(std::malloc(size > 0 ? static_cast<std::size_t>(size) : 1));
  request_entry* const e = copy != nullptr ? new_message(request_form::buffered, *m.comm.e) : nullptr;
  if (e == nullptr) { std::free(copy); return neutral::err_no_mem; }
  message_part& own = e->what.message();
  own.peer = m.peer;
  own.tag = m.tag;
  e->what.names.datatype = neutral::packed;
  own.buffer = copy;
  own.count = size;                     // bytes of the attached buffer that are in use
  own.number = from.number;             // of the buffer
  own.posted = buffers().messages + 1;  // of the message
  const auto packed = lower::predefined(neutral::packed);
  const lower::services& s = *lower::the_bridge().service;
  rc = pack_into(m, copy, size, &packed_bytes);
  if (rc == neutral::success)
    rc = lower::cross([&] { return s.isend(lower::send_mode::standard, copy, packed_bytes, packed, m.peer, m.tag,
                                           m.comm.real, &e->real); });
  if (rc != neutral::success) { std::free(copy); free_request(*e); return rc; }
  from.attached_used += size + family::buffered_overhead;
  ++buffers().messages;
  ++buffers().pending;
  count_sent(m.messages(), m.peer, m.tag);
  return neutral::success;
}

template <class Fn>
inline int bsend_call(const void* b, std::int64_t n, MPI_Datatype t, int d, int g, MPI_Comm c) noexcept {
  call::wrapper_scope scope(Fn::id);
  const message_arguments m(b, n, t, d, g, c);
  const int error = m.error != 0 ? m.error : send_buffered(m, c);
  if (error == neutral::success) return MPI_SUCCESS;
  return raise(m.error == neutral::err_comm ? MPI_COMM_NULL : c, Fn::id, error, nullptr);
}

/// MPI_Ibsend, or the start of a persistent buffered send: the request is done at once, while the copy is under way.
inline int start_buffered(request_entry& e) noexcept {
  descriptor<kind::request>& r = e.what;
  const message_part& given = r.message();
  message_arguments m(given.buffer, given.count, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_SELF);
  m.comm.e = r.on;
  m.comm.real = r.on->real;
  const std::uint32_t type = r.names.datatype;
  m.type = {true, type < neutral::predefined_limit ? type : 0,
            vid::table<kind::datatype>().find(virt<kind::datatype>(type)), real_of<kind::datatype>(type)};
  m.peer = given.peer;
  m.tag = given.tag;
  m.error = neutral::success;
  r.state = request_stage::done;
  r.status = {};
  return send_buffered(m, MPI_COMM_NULL);
}

template <class Fn>
inline int ibsend_call(const void* b, std::int64_t n, MPI_Datatype t, int d, int g, MPI_Comm c, MPI_Request* out,
                       bool persistent) noexcept {
  call::wrapper_scope scope(Fn::id);
  const message_arguments m(b, n, t, d, g, c);
  if (m.error != 0) return raise(m.error == neutral::err_comm ? MPI_COMM_NULL : c, Fn::id, m.error, nullptr);
  request_entry* const e = new_message(request_form::send, *m.comm.e);
  if (e == nullptr) return raise(c, Fn::id, neutral::err_no_mem, no_request_id);
  describe(e->what, m, lower::send_mode::standard);
  e->what.message().buffered = true;
  e->what.persistent = persistent;
  if (persistent) {
    e->what.state = request_stage::inactive;
  } else if (const int rc = start_buffered(*e); rc != neutral::success) {
    free_request(*e);
    return raise(c, Fn::id, rc, nullptr);
  }
  *out = app::from_virt<kind::request>(vid::table<kind::request>().id_of(*e));
  return MPI_SUCCESS;
}

/// comm: whose error handler hears of errors
template <class Fn>
inline int attach_buffer(const buffer_place& place, MPI_Comm comm, void* buffer, std::int64_t size) noexcept {
  call::wrapper_scope scope(Fn::id);
  const std::lock_guard hold(buffered_lock());
  buffer_state* b = buffer_at(place);
  if (b != nullptr && b->attached != nullptr)
    return raise(comm, Fn::id, neutral::err_buffer, "a buffer is attached already");
  if (size < 0 && !is_automatic(buffer)) return raise(comm, Fn::id, neutral::err_arg, "negative size");
  if (b == nullptr) {
    buffers().others.push_back({place, ++buffers().given_out});
    b = &buffers().others.back();
  }
  b->attached = buffer;
  b->attached_size = is_automatic(buffer) ? 0 : size;
  return MPI_SUCCESS;
}

/// The number of the buffer that is attached there; the highest number if there is none.
inline std::uint64_t number_at(const buffer_place& place) noexcept {
  const std::lock_guard hold(buffered_lock());
  const buffer_state* const b = buffer_at(place);
  return b != nullptr ? b->number : std::numeric_limits<std::uint64_t>::max();
}

/// The number of the last message that was sent from a buffer.
inline std::uint64_t last_buffered() noexcept {
  const std::lock_guard hold(buffered_lock());
  return buffers().messages;
}

/// Waits until the messages up to this one, of this buffer, have left.
inline void await_buffer(call::wrapper_scope& scope, std::uint64_t buffer, std::uint64_t last) noexcept {
  for (request_entry* waiting = nullptr;; await_one(scope, *waiting)) {
    const std::lock_guard hold(buffered_lock());
    sweep_buffered();
    waiting = unsent_from(buffer, last);
    if (waiting == nullptr) return;
  }
}

/// Waits until every message of the buffer has left, then returns the buffer to the program.
template <class Fn, class Size>
inline int detach_buffer(const buffer_place& place, void* address, Size* size) noexcept {
  call::wrapper_scope scope(Fn::id);
  await_buffer(scope, number_at(place), std::numeric_limits<std::uint64_t>::max());
  const std::lock_guard hold(buffered_lock());
  buffer_state none;
  buffer_state* const b = buffer_at(place);
  buffer_state& from = b != nullptr ? *b : none;
  std::memcpy(address, &from.attached, sizeof from.attached);
  *size = static_cast<Size>(from.attached_size);
  from.attached = nullptr;
  from.attached_size = 0;
  if (b != nullptr && b->number != 0)
    buffers().others.remove_if([b](const buffer_state& each) { return &each == b; });
  return MPI_SUCCESS;
}

}  // namespace mana::object

namespace mana::manual {

#define MANA_BUFFERED(suffix, count_type)                                                                            \
  inline int bsend##suffix(const void* b, count_type n, MPI_Datatype t, int d, int g, MPI_Comm c) noexcept {         \
    return object::bsend_call<fn::bsend##suffix>(b, n, t, d, g, c); }                                                  \
  inline int ibsend##suffix(const void* b, count_type n, MPI_Datatype t, int d, int g, MPI_Comm c,                   \
                            MPI_Request* r) noexcept {                                                               \
    return object::ibsend_call<fn::ibsend##suffix>(b, n, t, d, g, c, r, false); }                                      \
  inline int bsend_init##suffix(const void* b, count_type n, MPI_Datatype t, int d, int g, MPI_Comm c,               \
                                MPI_Request* r) noexcept {                                                           \
    return object::ibsend_call<fn::bsend_init##suffix>(b, n, t, d, g, c, r, true); }                                   \
  inline int buffer_attach##suffix(void* b, count_type n) noexcept {                                                 \
    return object::attach_buffer<fn::buffer_attach##suffix>({}, MPI_COMM_NULL, b, n); }                                \
  inline int buffer_detach##suffix(void* b, count_type* n) noexcept {                                                \
    return object::detach_buffer<fn::buffer_detach##suffix>({}, b, n); }
MANA_BUFFERED(, int)
MANA_BUFFERED(_c, MPI_Count)
#undef MANA_BUFFERED

}  // namespace mana::manual
