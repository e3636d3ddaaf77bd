// Buffered sends. The data is copied into memory of the wrapper library and sent as MPI_PACKED. The attached buffer
// only limits how much may be under way. So MPI_Buffer_detach is an interruptible wait like any other, and a drain
// needs no special case.
#pragma once
#include <mana/object/comm/counting.hpp>
#include <mana/object/message/state.hpp>
#include <mana/object/request/form/message/packed_copy.hpp>
#include <mana/object/request/form/message/point_to_point.hpp>

#include <mutex>

namespace mana::object {

/// The buffer that the program has attached: how many of its bytes are in use. The data itself lies in the wrapper
/// library's memory.
struct buffer_state {
  void* attached = nullptr;
  std::int64_t attached_size = 0, attached_used = 0;
};

inline buffer_state the_buffer;
inline buffer_state& attached_buffer() noexcept { return the_buffer; }

/// Protects the attached buffer and the requests of this form, which belong to no thread. Held across calls of the live
/// MPI that do not wait, never while parking.
inline std::mutex& buffered_lock() noexcept {
  static std::mutex lock;
  return lock;
}

/// Frees the copies of completed buffered sends. The caller holds buffered_lock().
inline void sweep_buffered() noexcept {
  vid::table<kind::request>().for_each_unordered([](request_entry& e) {
    if (e.what.form != request_form::buffered) return;
    request_entry* list[] = {&e};
    if (e.what.state == request_stage::active) poll_entries(1, list, 0);
    if (e.what.state != request_stage::done) return;
    attached_buffer().attached_used -= e.what.message().count + MPI_BSEND_OVERHEAD;
    std::free(e.what.message().buffer);
    free_request(e);
  });
}

/// Releases the objects of buffered sends that have completed unnoticed.
inline void end_buffered() noexcept {
  if (attached_buffer().attached == nullptr) return;
  const std::lock_guard hold(buffered_lock());
  if (attached_buffer().attached_used != 0) sweep_buffered();
}

/// out: neutral error class; MPI_ERR_BUFFER if the attached buffer has no room
inline int send_buffered(const message_arguments& m, MPI_Comm) noexcept {
  buffer_state& all = attached_buffer();
  if (m.peer == neutral::proc_null) return neutral::success;
  std::int64_t size = 0, packed_bytes = 0;
  int rc = packed_room(m, &size);
  if (rc != neutral::success) return rc;
  const std::lock_guard hold(buffered_lock());      // until the request, which other threads may see, has a real one
  if (all.attached_used + size + MPI_BSEND_OVERHEAD > all.attached_size) sweep_buffered();
  if (all.attached_used + size + MPI_BSEND_OVERHEAD > all.attached_size) return neutral::err_buffer;
  auto* const copy = static_cast<char*>(std::malloc(size > 0 ? static_cast<std::size_t>(size) : 1));
  request_entry* const e = copy != nullptr ? new_message(request_form::buffered, *m.comm.e) : nullptr;
  if (e == nullptr) { std::free(copy); return neutral::err_no_mem; }
  message_part& own = e->what.message();
  own.peer = m.peer;
  own.tag = m.tag;
  e->what.names.datatype = neutral::packed;
  own.buffer = copy;
  own.count = size;                     // bytes of the attached buffer that are in use
  const auto packed = lower::predefined(neutral::packed);
  const lower::services& s = *lower::the_bridge().service;
  rc = pack_into(m, copy, size, &packed_bytes);
  if (rc == neutral::success)
    rc = lower::cross([&] { return s.isend(lower::send_mode::standard, copy, packed_bytes, packed, m.peer, m.tag,
                                           m.comm.real, &e->real); });
  if (rc != neutral::success) { std::free(copy); free_request(*e); return rc; }
  all.attached_used += size + MPI_BSEND_OVERHEAD;
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

template <class Fn>
inline int attach_buffer(void* buffer, std::int64_t size) noexcept {
  call::wrapper_scope scope(Fn::id);
  buffer_state& all = attached_buffer();
  if (all.attached != nullptr) return raise(MPI_COMM_NULL, Fn::id, neutral::err_buffer, "a buffer is attached already");
  if (size < 0) return raise(MPI_COMM_NULL, Fn::id, neutral::err_arg, "negative size");
  all.attached = buffer;
  all.attached_size = size;
  return MPI_SUCCESS;
}

/// Waits until every buffered send has left, then returns the buffer to the program.
template <class Fn, class Size>
inline int detach_buffer(void* address, Size* size) noexcept {
  call::wrapper_scope scope(Fn::id);
  buffer_state& all = attached_buffer();
  for (request_entry* waiting = nullptr;; await_one(scope, *waiting)) {
    const std::lock_guard hold(buffered_lock());
    sweep_buffered();
    if (all.attached_used == 0) break;
    vid::table<kind::request>().for_each_unordered([&](request_entry& e) {
      if (e.what.form == request_form::buffered) waiting = &e; });
  }
  std::memcpy(address, &all.attached, sizeof all.attached);
  *size = static_cast<Size>(all.attached_size);
  all.attached = nullptr;
  all.attached_size = 0;
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
    return object::attach_buffer<fn::buffer_attach##suffix>(b, n); }                                                   \
  inline int buffer_detach##suffix(void* b, count_type* n) noexcept {                                                \
    return object::detach_buffer<fn::buffer_detach##suffix>(b, n); }
MANA_BUFFERED(, int)
MANA_BUFFERED(_c, MPI_Count)
#undef MANA_BUFFERED

}  // namespace mana::manual
