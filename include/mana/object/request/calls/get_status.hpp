// MPI_Request_get_status of several requests (MPI-4.1, 3.7.6): like MPI_Testall and its relatives, but no request ends.
#pragma once
#include <mana/object/request/calls/request.hpp>

namespace mana::object {

/// The frame of these calls. Tests the requests once, then calls use.
/// in: use(entries, waiting, done)  waiting: how many are active or done; done: how many of these are over
template <class Fn, class Use>
inline int look_at_requests(int n, const MPI_Request* requests, Use&& use) noexcept {
  call::wrapper_scope scope(Fn::id);
  if (n < 0) return raise_request(Fn::id, neutral::err_count);
  scratch<request_entry*> entries(n);
  int waiting = 0;
  if (const int error = look_up_all(n, requests, entries.data(), &waiting); error != 0)
    return raise_request(Fn::id, error);
  int done = count_done(n, entries.data());
  if (done < waiting) done = probe_entries(n, entries.data());
  return use(entries.data(), waiting, done);
}

inline bool is_over(const request_entry* e) noexcept { return e != nullptr && e->what.state == request_stage::done; }

}  // namespace mana::object

namespace mana::manual {

inline int request_get_status_all(int n, const MPI_Request* requests, int* flag, MPI_Status* given) noexcept {
  using f = fn::request_get_status_all;
  return object::look_at_requests<f>(n, requests, [=](object::request_entry** entries, int waiting, int done) {
    *flag = done == waiting;
    if (*flag == 0) return MPI_SUCCESS;
    MPI_Status* const statuses = object::statuses_or_null(given);
    int error = MPI_SUCCESS;
    for (int i = 0; i < n; ++i) {
      const int code = object::peek(entries[i], statuses != nullptr ? statuses + i : nullptr, true);
      if (code != MPI_SUCCESS) error = code;
    }
    return object::raise_code(f::id, error != MPI_SUCCESS && statuses != nullptr ? MPI_ERR_IN_STATUS : error);
  });
}

inline int request_get_status_any(int n, const MPI_Request* requests, int* index, int* flag,
                                  MPI_Status* status) noexcept {
  using f = fn::request_get_status_any;
  return object::look_at_requests<f>(n, requests, [=](object::request_entry** entries, int waiting, int done) {
    *index = MPI_UNDEFINED;
    *flag = waiting == 0 || done > 0;
    if (*flag == 0) return MPI_SUCCESS;
    object::request_entry** const found = std::find_if(entries, entries + n, object::is_over);
    if (found != entries + n) *index = static_cast<int>(found - entries);
    return object::raise_code(
        f::id, object::peek(found != entries + n ? *found : nullptr, object::status_or_null(status), false));
  });
}

inline int request_get_status_some(int n, const MPI_Request* requests, int* count, int* indices,
                                   MPI_Status* given) noexcept {
  using f = fn::request_get_status_some;
  return object::look_at_requests<f>(n, requests, [=](object::request_entry** entries, int waiting, int) {
    MPI_Status* const statuses = object::statuses_or_null(given);
    int found = 0, error = MPI_SUCCESS;
    for (int i = 0; i < n; ++i) {
      if (!object::is_over(entries[i])) continue;
      const int code = object::peek(entries[i], statuses != nullptr ? statuses + found : nullptr, true);
      if (code != MPI_SUCCESS) error = code;
      indices[found++] = i;
    }
    *count = waiting == 0 ? MPI_UNDEFINED : found;
    return object::raise_code(f::id, error != MPI_SUCCESS && statuses != nullptr ? MPI_ERR_IN_STATUS : error);
  });
}

}  // namespace mana::manual
