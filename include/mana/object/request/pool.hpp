// Virtual requests: made when an operation starts, retired when it has completed.
#pragma once
#include <mana/call/library.hpp>
#include <mana/object/comm/counting.hpp>
#include <mana/object/comm/life.hpp>
#include <mana/object/message/state.hpp>
#include <mana/object/op/life.hpp>
#include <mana/object/request/blocking_hold.hpp>
#include <mana/object/request/state.hpp>
#include <mana/object/request/synchronous.hpp>

#include <mana/object/datatype/descriptor.hpp>
#include <mana/object/request/partitioned_transfer.hpp>

#include <atomic>
#include <cstdlib>
#include <utility>

namespace mana::object {

using request_entry = vid::entry<kind::request>;

inline constexpr const char* no_request_id = "no free request id";

/// An active request without a real one yet, on a communicator that it keeps. out: nullptr if all ids are in use
/// begin: makes the part of its form
template <class Begin>
[[gnu::always_inline]] inline request_entry* new_request(vid::entry<kind::comm>& on, Begin&& begin) noexcept {
  request_entry* const e = vid::table<kind::request>().insert_entry();
  if (e == nullptr) return nullptr;
  begin(e->what);
  e->what.on = &on;
  e->what.messages = on.what.messages;
  keep_comm(on);
  return e;
}
[[gnu::always_inline]] inline request_entry* new_message(request_form form, vid::entry<kind::comm>& on) noexcept {
  return new_request(on, [form](auto& r) { r.begin_message(form); });
}
[[gnu::always_inline]] inline request_entry* new_collective(vid::entry<kind::comm>& on) noexcept {
  return new_request(on, [](auto& r) { r.begin_collective(); });
}

/// Status of a receive that was cancelled before a message came for it.
inline constexpr neutral::status cancelled_status{neutral::any_source, neutral::any_tag, neutral::success, 1, 0};

/// in: name  neutral code (nothing to do), 0 or bits of a virtual id
inline void release_op(std::uint32_t name) noexcept {
  if (op_entry* const e = vid::table<kind::op>().find(virt<kind::op>(name))) let_go_of_op(*e);
}

/// Releases each operand. Frees memory: do not use it in a drain.
inline void release_operands(operands& names) noexcept {
  release_datatype(names.datatype);
  release_datatype(names.other_datatype);
  if (names.op != 0) release_op(names.op);
  if (names.types == nullptr) return;
  for (std::uint32_t i = 0; i < names.types->size; ++i) release_datatype(names.types->names[i]);
  std::free(std::exchange(names.types, nullptr));
}

[[gnu::noinline, gnu::cold]] inline void release_rest(descriptor<kind::request>& r) noexcept {
  release_operands(r.names);
  for (void* const memory : r.owned) std::free(memory);
}

/// Releases its objects and its memory. Never in a drain.
inline void free_request(request_entry& e) noexcept {
  if (e.what.keeps_more) [[unlikely]] release_rest(e.what);
  vid::entry<kind::comm>& on = *e.what.on;
  vid::table<kind::request>().erase(e);
  let_go_of_comm(on);
}

/// Passes this memory, from malloc, to the request's operation.
inline void own_memory(descriptor<kind::request>& r, void* memory) noexcept {
  r.keep_more();
  r.owned[r.owned[0] != nullptr] = memory;
}

/// MPI_Isendrecv whose receive is over. The request becomes its send, with the status of the receive, or is done with
/// it. It takes over the objects of the send; the other entry ends with those of the receive. Usable in drains.
inline void go_on_as_send(request_entry& e) noexcept {
  descriptor<kind::request>& r = e.what;
  message_part& m = r.message();
  request_entry& send = *std::exchange(m.send_part, nullptr);
  release_datatype(r.names.datatype);
  r.form = request_form::send;
  m.peer = send.what.message().peer;
  r.state = send.what.state;
  r.keeps_more = false;                                  // a receive has no memory
  if (send.what.keeps_more) {
    r.keep_more();
    std::swap(r.owned, send.what.owned);
  }
  r.names.datatype = send.what.names.datatype;
  e.real = std::exchange(send.real, {});
  if (r.status.error == neutral::success) r.status.error = send.what.status.error;
  vid::table<kind::request>().erase(send);
  count_down(r.on->references, call::library().callers);       // both parts had a reference to it
}

/// A started request begins to wait for something that the lower half does not know.
inline void become_unready(descriptor<kind::request>& r) noexcept {
  requests().unready.fetch_add(1, std::memory_order_relaxed);
  r.state = request_stage::unready;
}

/// The request stops waiting. If several threads find this at once, one of them ends the wait.
inline void end_unready(request_entry& e) noexcept {
  request_stage expected = request_stage::unready;
  if (std::atomic_ref(e.what.state).compare_exchange_strong(expected, request_stage::done, std::memory_order_acq_rel,
                                                            std::memory_order_relaxed))
    requests().unready.fetch_sub(1, std::memory_order_relaxed);
}

/// The request leaves the state `unready`. Its new members become visible before its new state.
inline void become(request_entry& e, request_stage state) noexcept {
  std::atomic_thread_fence(std::memory_order_release);
  e.what.state = state;
  requests().unready.fetch_sub(1, std::memory_order_relaxed);
}

/// Part of retire(), after the status was stored.
[[gnu::always_inline]] inline void retire_receive(request_entry& e) noexcept {
  descriptor<kind::request>& r = e.what;
  message_part& m = r.message();
  if (r.status.cancelled == 0) {
    count_received(*r.messages, r.status.source);
    if (r.form == request_form::recv) note_received(*r.messages, r.status.source, r.status.tag, m.posted);
  }
  if (m.parts != nullptr) m.parts->name_in_comm(r.status);
  if (m.send_part != nullptr) go_on_as_send(e);
}
[[gnu::always_inline]] inline void retire_send(request_entry& e, const neutral::status& status) noexcept {
  descriptor<kind::request>& r = e.what;
  message_part& m = r.message();
  if (!m.is_exchange) r.status = status;
  else if (r.status.error == neutral::success) r.status.error = status.error;
  close_synchronous(r);
  const std::atomic_ref met(m.met);
  if (met.load(std::memory_order_acquire) != meeting::untouched) {
    become_unready(r);
    // The receiver's notice may have come in between.
    if (met.load(std::memory_order_acquire) == meeting::untouched) end_unready(e);
  }
  if (status.cancelled != 0 && m.peer >= 0)       // a cancelled send was never sent
    __atomic_fetch_sub(&r.messages->counts[m.peer].sent, 1, __ATOMIC_RELAXED);
}

/// The operation is over in the lower half: counts the message and stores the status for the program. A detached
/// request stays, done, until its turn comes (object/request/completion/detached.hpp).
/// in: status.error  how the operation ended
/// Runs in drains too, so it frees nothing that came from malloc.
inline void retire(request_entry& e, const neutral::status& status) noexcept {
  descriptor<kind::request>& r = e.what;
  e.real = {};
  r.state = request_stage::done;
  r.cancelling = false;
  if (r.form == request_form::recv || r.form == request_form::matched_recv) {
    r.status = status;
    retire_receive(e);
  } else if (r.form > request_form::buffered) {
    r.status = status;
  } else {
    retire_send(e, status);
  }
}

}  // namespace mana::object
