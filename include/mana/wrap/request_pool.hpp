// Virtual requests: made when an operation is started, retired when it has completed.
#pragma once
#include <mana/wrap/counting.hpp>

#include <mana/vid/datatype_descriptor.hpp>
#include <mana/vid/partitioned.hpp>

#include <cstdlib>
#include <utility>

namespace mana::wrap {

using request_entry = vid::entry<kind::request>;

/// An active request without a real one yet. out: nullptr when all ids are in use
inline request_entry* new_request(vid::request_form form, vid::traffic& messages) noexcept {
  request_entry* const e = vid::table<kind::request>().insert_entry();
  if (e == nullptr) return nullptr;
  e->what.form = form;
  e->what.messages = &messages;
  return e;
}

/// Of a receive that was cancelled before a message came for it.
inline constexpr neutral::status cancelled_status{neutral::any_source, neutral::any_tag, neutral::success, 1, 0};

/// Never in a drain for requests that own memory.
inline void free_request(request_entry& e) noexcept {
  for (void*& memory : e.what.owned) {
    if (memory != nullptr) std::free(memory);
    memory = nullptr;
  }
  vid::table<kind::request>().erase(e);
}

/// MPI_Isendrecv, whose receive is over: it goes on as its send, with the status of the receive, or is done with it.
inline void go_on_as_send(request_entry& e) noexcept {
  vid::descriptor<kind::request>& r = e.what;
  request_entry& send = *std::exchange(r.send_part, nullptr);
  r.form = vid::request_form::send;
  r.peer = send.what.peer;
  r.state = send.what.state;
  e.real = std::exchange(send.real, 0);
  std::swap(r.owned, send.what.owned);
  if (r.status.error == neutral::success) r.status.error = send.what.status.error;
  vid::table<kind::request>().erase(send);
}

/// A started request comes to wait for what the lower half knows nothing of.
inline void become_unready(vid::descriptor<kind::request>& r) noexcept {
  library().unready.fetch_add(1, std::memory_order_relaxed);
  r.state = vid::request_state::unready;
}

/// It leaves the state `unready`: what it has become is to be seen before.
inline void become(request_entry& e, vid::request_state state) noexcept {
  std::atomic_thread_fence(std::memory_order_release);
  e.what.state = state;
  library().unready.fetch_sub(1, std::memory_order_relaxed);
}

/// Its operation is over in the lower half: counts the message and stores the status for the application. A detached
/// request stays, done, until its turn comes (detached.hpp).
/// status.error says how it ended. Runs in drains too, so it frees nothing that came from malloc.
inline void retire(request_entry& e, const neutral::status& status) noexcept {
  vid::descriptor<kind::request>& r = e.what;
  e.real = 0;
  const bool is_second_part = r.is_exchange && r.form == vid::request_form::send;
  if (!is_second_part) r.status = status;
  else if (r.status.error == neutral::success) r.status.error = status.error;
  r.state = vid::request_state::done;
  r.cancelling = false;
  close_synchronous(r);
  if (r.met != vid::meeting::untouched) become_unready(r);
  if (r.form == vid::request_form::recv || r.form == vid::request_form::matched_recv) {
    if (status.cancelled == 0) count_received(*r.messages, status.source);
    vid::release_datatype(r.datatype);
    if (r.parts != nullptr) r.parts->name_in_comm(r.status);
  } else if (status.cancelled != 0 && r.peer >= 0) {       // a cancelled send was never sent
    __atomic_fetch_sub(&r.messages->counts[r.peer].sent, 1, __ATOMIC_RELAXED);
  }
  if (r.send_part != nullptr) go_on_as_send(e);
}

}  // namespace mana::wrap
