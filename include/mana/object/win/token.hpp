// Tokens of MPI_Win_post and MPI_Win_complete: messages without data on the window's hidden communicator. They are counted,
// drained and posted again like all messages.
#pragma once
#include <mana/object/comm/counting.hpp>
#include <mana/object/request/completion/completion.hpp>
#include <mana/object/request/completion/detached.hpp>
#include <mana/object/request/form/message/point_to_point.hpp>
#include <mana/object/win/descriptor.hpp>

namespace mana::object {

namespace token_tag {
inline constexpr int posted = 1, completed = 2;
}

inline void describe_token(request_entry& e, int peer, int tag) noexcept {
  message_part& m = e.what.message();
  m.peer = peer;
  m.tag = tag;
  e.what.names.datatype = neutral::byte;
}

/// Nobody waits for the send: it ends as a request that was freed. in: to: rank in the window      out: neutral error class
inline int send_token(const win_entry& win, int to, int tag) noexcept {
  vid::entry<kind::comm>& on = *win.what.on;
  request_entry* const e = new_message(request_form::send, on);
  if (e == nullptr) return neutral::err_no_mem;
  describe_token(*e, to, tag);
  const int rc = start_request(*e, on, lower::predefined(neutral::byte));
  if (rc != neutral::success) {
    free_request(*e);
    return rc;
  }
  detach(*e);
  return neutral::success;
}

/// Starts a receive. out: its request, or nullptr with a neutral error class
inline request_entry* await_token(const win_entry& win, int from, int tag, int& error) noexcept {
  vid::entry<kind::comm>& on = *win.what.on;
  request_entry* const e = new_message(request_form::recv, on);
  error = e == nullptr ? int{neutral::err_no_mem} : int{neutral::success};
  if (e == nullptr) return nullptr;
  describe_token(*e, from, tag);
  error = start_request(*e, on, lower::predefined(neutral::byte));
  if (error == neutral::success) return e;
  free_request(*e);
  return nullptr;
}

/// Frees receives that are over. out: the first error of them: neutral class
inline int end_tokens(int n, request_entry** receives) noexcept {
  int error = neutral::success;
  for (int i = 0; i < n; ++i) {
    if (receives[i] == nullptr) continue;
    if (error == neutral::success) error = receives[i]->what.status.error;
    free_request(*receives[i]);
  }
  return error;
}

}  // namespace mana::object
