// Completion: Wait*, Test*, Request_free, Cancel, Start*, Request_get_status. Retirement has two steps: an operation
// may complete in a drain, but is handed to the program only when it asks.
#pragma once
#include <mana/object/comm/state.hpp>
#include <mana/object/request/completion/detached.hpp>
#include <mana/object/request/form/collective/lanes.hpp>
#include <mana/object/request/form/message/buffered.hpp>
#include <mana/object/request/form/partitioned/partitioned.hpp>

namespace mana::object {

enum class found_request { null, live, foreign };

/// in: the program's handle      out: *e for a live request
inline found_request look_up(MPI_Request handle, request_entry*& e) noexcept {
  e = vid::table<kind::request>().find(app::to_virt<kind::request>(handle));
  if (e != nullptr) return found_request::live;
  return handle == MPI_REQUEST_NULL ? found_request::null : found_request::foreign;
}

inline bool awaits(const request_entry* e) noexcept {
  return e != nullptr && e->what.state != request_stage::inactive;
}

/// Hands a done request to the program: stores its status, and frees the id or makes a persistent request inactive.
/// out: the program's error code of the operation
inline int hand_over(request_entry& e, MPI_Request* handle, MPI_Status* status, bool store_error) noexcept {
  const bool is_program_s = is_generalized(e);
  if (is_program_s) [[unlikely]] settle(e);
  const int code = code_of(e);
  if (status != nullptr) {
    app::store_status(status, e.what.status);
    if (store_error) status->MPI_ERROR = code;
  }
  if (e.what.persistent) { e.what.state = request_stage::inactive; return code; }
  *handle = MPI_REQUEST_NULL;
  if (is_program_s) forget_generalized(e);
  else free_request(e);
  return code;
}

inline MPI_Status* status_or_null(MPI_Status* s) noexcept { return s == MPI_STATUS_IGNORE ? nullptr : s; }
inline MPI_Status* statuses_or_null(MPI_Status* s) noexcept { return s == MPI_STATUSES_IGNORE ? nullptr : s; }

inline int raise_request(function_id f, int error) noexcept {
  return error == neutral::success ? MPI_SUCCESS : raise(MPI_COMM_NULL, f, error, nullptr);
}
/// The same with a code of this mpi.h or of the program, as operations return it.
inline int raise_code(function_id f, int code) noexcept {
  if (code == MPI_SUCCESS) [[likely]] return MPI_SUCCESS;
  return run_errhandler(comms().world.what.errhandler, MPI_COMM_WORLD, code, f, nullptr);
}

/// MPI_Wait (flag == nullptr) and MPI_Test.
inline int finish_one(function_id f, MPI_Request* request, int* flag, MPI_Status* status) noexcept {
  call::wrapper_scope scope(f);
  request_entry* e = nullptr;
  if (look_up(*request, e) == found_request::foreign) return raise_request(f, neutral::err_request);
  if (!awaits(e)) {
    if (flag != nullptr) *flag = 1;
    if (status_or_null(status) != nullptr) app::store_empty(status);
    return MPI_SUCCESS;
  }
  if (flag == nullptr) await_one(scope, *e);
  else {
    request_entry* list[] = {e};
    *flag = e->what.state == request_stage::done || probe_entries(1, list) > 0;
    if (*flag == 0) return MPI_SUCCESS;
  }
  return raise_code(f, hand_over(*e, request, status_or_null(status), false));
}

/// The entries of an array of handles. out: neutral error class; *waiting: how many are active or done
inline int look_up_all(int n, const MPI_Request* requests, request_entry** entries, int* waiting) noexcept {
  *waiting = 0;
  for (int i = 0; i < n; ++i) {
    if (look_up(requests[i], entries[i]) == found_request::foreign) return neutral::err_request;
    if (!awaits(entries[i])) entries[i] = nullptr;
    else ++*waiting;
  }
  return neutral::success;
}

/// MPI_Waitall (flag == nullptr) and MPI_Testall.
inline int finish_all(function_id f, int n, MPI_Request* requests, int* flag, MPI_Status* given) noexcept {
  call::wrapper_scope scope(f);
  if (n < 0) return raise_request(f, neutral::err_count);
  scratch<request_entry*> entries(n);
  int waiting = 0;
  if (const int error = look_up_all(n, requests, entries.data(), &waiting); error != 0) return raise_request(f, error);
  if (flag == nullptr) await(scope, n, entries.data(), waiting);
  else {
    *flag = count_done(n, entries.data()) == waiting || probe_entries(n, entries.data()) == waiting;
    if (*flag == 0) return MPI_SUCCESS;
  }
  MPI_Status* const statuses = statuses_or_null(given);
  int last_error = MPI_SUCCESS;
  for (int i = 0; i < n; ++i) {
    MPI_Status* const s = statuses != nullptr ? statuses + i : nullptr;
    if (entries[i] != nullptr) {
      const int error = hand_over(*entries[i], requests + i, s, true);      // also without an error, as both MPIs do
      if (error != MPI_SUCCESS) last_error = error;
    } else if (s != nullptr) {
      app::store_empty(s);
    }
  }
  return raise_code(f, last_error != MPI_SUCCESS && statuses != nullptr ? MPI_ERR_IN_STATUS : last_error);
}

/// MPI_Waitany (flag == nullptr) and MPI_Testany.
inline int finish_any(function_id f, int n, MPI_Request* requests, int* index, int* flag, MPI_Status* status) noexcept {
  call::wrapper_scope scope(f);
  if (n < 0) return raise_request(f, neutral::err_count);
  scratch<request_entry*> entries(n);
  int waiting = 0;
  if (const int error = look_up_all(n, requests, entries.data(), &waiting); error != 0) return raise_request(f, error);
  *index = MPI_UNDEFINED;
  if (waiting == 0) {
    if (flag != nullptr) *flag = 1;
    if (status_or_null(status) != nullptr) app::store_empty(status);
    return MPI_SUCCESS;
  }
  if (flag == nullptr) await(scope, n, entries.data(), 1);
  else {
    *flag = count_done(n, entries.data()) > 0 || probe_entries(n, entries.data()) > 0;
    if (*flag == 0) return MPI_SUCCESS;
  }
  for (int i = 0; i < n; ++i) {
    if (entries[i] == nullptr || entries[i]->what.state != request_stage::done) continue;
    *index = i;
    return raise_code(f, hand_over(*entries[i], requests + i, status_or_null(status), false));
  }
  return MPI_SUCCESS;
}

/// MPI_Waitsome (wait) and MPI_Testsome.
inline int finish_some(function_id f, bool wait, int n, MPI_Request* requests, int* out_count, int* indices,
                       MPI_Status* given) noexcept {
  call::wrapper_scope scope(f);
  if (n < 0) return raise_request(f, neutral::err_count);
  if (n > 0 && indices == nullptr) return raise_request(f, neutral::err_arg);
  scratch<request_entry*> entries(n);
  int waiting = 0;
  if (const int error = look_up_all(n, requests, entries.data(), &waiting); error != 0) return raise_request(f, error);
  *out_count = waiting == 0 ? MPI_UNDEFINED : 0;
  if (waiting == 0) return MPI_SUCCESS;
  if (wait) await(scope, n, entries.data(), 1);
  else probe_entries(n, entries.data());
  MPI_Status* const statuses = statuses_or_null(given);
  int found = 0, last_error = MPI_SUCCESS;
  for (int i = 0; i < n; ++i) {
    if (entries[i] == nullptr || entries[i]->what.state != request_stage::done) continue;
    const int error = hand_over(*entries[i], requests + i, statuses != nullptr ? statuses + found : nullptr, true);
    if (error != MPI_SUCCESS) last_error = error;
    indices[found++] = i;
  }
  *out_count = found;
  return raise_code(f, last_error != MPI_SUCCESS && statuses != nullptr ? MPI_ERR_IN_STATUS : last_error);
}

/// The status of a request that is over, without ending it. e: nullptr for a null request
/// out: the error of a generalized request's query_fn, a code for the program; errors of other operations come from the
/// call that ends them
inline int peek(request_entry* e, MPI_Status* status, bool store_error) noexcept {
  const bool queries = e != nullptr && is_generalized(*e);
  if (queries) query(*e);
  if (status != nullptr && !awaits(e)) app::store_empty(status);
  else if (status != nullptr) {
    app::store_status(status, e->what.status);
    if (store_error) status->MPI_ERROR = code_of(*e);
  }
  return queries ? code_of(*e) : MPI_SUCCESS;
}

/// MPI_Grequest_start and its like.
template <class Fn>
inline int start_generalized(const generalized_operation& given, MPI_Request* request) noexcept {
  call::wrapper_scope scope(Fn::id);
  if (given.query == nullptr || given.free == nullptr || given.cancel == nullptr || request == nullptr)
    return fail(Fn::id, neutral::err_arg, "null pointer");
  request_entry* const e = new_generalized(given);
  if (e == nullptr) return fail(Fn::id, neutral::err_no_mem, no_request_id);
  *request = app::from_virt<kind::request>(vid::table<kind::request>().id_of(*e));
  return MPI_SUCCESS;
}

}  // namespace mana::object

namespace mana::manual {

inline int wait(MPI_Request* r, MPI_Status* s) noexcept { return object::finish_one(fn::wait::id, r, nullptr, s); }
inline int test(MPI_Request* r, int* flag, MPI_Status* s) noexcept {
  return object::finish_one(fn::test::id, r, flag, s);
}
inline int waitall(int n, MPI_Request* r, MPI_Status* s) noexcept {
  return object::finish_all(fn::waitall::id, n, r, nullptr, s);
}
inline int testall(int n, MPI_Request* r, int* flag, MPI_Status* s) noexcept {
  return object::finish_all(fn::testall::id, n, r, flag, s);
}
inline int waitany(int n, MPI_Request* r, int* i, MPI_Status* s) noexcept {
  return object::finish_any(fn::waitany::id, n, r, i, nullptr, s);
}
inline int testany(int n, MPI_Request* r, int* i, int* flag, MPI_Status* s) noexcept {
  return object::finish_any(fn::testany::id, n, r, i, flag, s);
}
inline int waitsome(int n, MPI_Request* r, int* c, int* i, MPI_Status* s) noexcept {
  return object::finish_some(fn::waitsome::id, true, n, r, c, i, s);
}
inline int testsome(int n, MPI_Request* r, int* c, int* i, MPI_Status* s) noexcept {
  return object::finish_some(fn::testsome::id, false, n, r, c, i, s);
}

inline int request_get_status(MPI_Request request, int* flag, MPI_Status* status) noexcept {
  call::wrapper_scope scope(fn::request_get_status::id);
  object::request_entry* e = nullptr;
  if (object::look_up(request, e) == object::found_request::foreign)
    return object::raise_request(fn::request_get_status::id, neutral::err_request);
  object::request_entry* list[] = {e};
  *flag = !object::awaits(e) || e->what.state == object::request_stage::done || object::probe_entries(1, list) > 0;
  if (*flag == 0) return MPI_SUCCESS;
  return object::raise_code(fn::request_get_status::id, object::peek(e, object::status_or_null(status), false));
}

inline int cancel(MPI_Request* request) noexcept {
  call::wrapper_scope scope(fn::cancel::id);
  object::request_entry* e = nullptr;
  if (object::look_up(*request, e) != object::found_request::live || e->what.is_collective() || e->what.is_one_sided() ||
      e->what.parts() != nullptr || (e->what.is_message() && e->what.message().is_exchange))
    return object::raise_request(fn::cancel::id, neutral::err_request);
  if (object::is_generalized(*e)) return object::raise_code(fn::cancel::id, object::cancel_generalized(*e));
  object::forgo_meeting(*e);        // a wait for it must no longer depend on the receiver (MPI-4.1 3.8.4)
  if (e->what.state != object::request_stage::active) return MPI_SUCCESS;    // completed in a drain, or inactive
  const lower::services& s = *lower::the_bridge().service;
  e->what.cancelling = true;
  return object::raise_request(fn::cancel::id, lower::cross([&] { return s.cancel(e->real); }));
}

/// An active request is kept until its operation has completed: a drain must count it, and a restart must post it.
inline int request_free(MPI_Request* request) noexcept {
  call::wrapper_scope scope(fn::request_free::id);
  object::request_entry* e = nullptr;
  if (object::look_up(*request, e) != object::found_request::live)
    return object::raise_request(fn::request_free::id, neutral::err_request);
  // The standard forbids this for these requests, and others may wait for this rank.
  if ((e->what.plan() != nullptr || e->what.parts() != nullptr) && object::awaits(e))
    return object::raise_request(fn::request_free::id, neutral::err_request);
  if (object::is_generalized(*e)) {
    *request = MPI_REQUEST_NULL;
    return object::raise_code(fn::request_free::id,
                              object::complete_or_free(*e, false) ? object::free_now(*e) : MPI_SUCCESS);
  }
  if (e->what.parts() != nullptr) object::end_partitioned(*e);
  object::forgo_meeting(*e);        // nobody asks whether a receive has met it
  if (e->what.plan() != nullptr) object::free_plan(*e);
  else if (e->what.state == object::request_stage::active) object::detach(*e);
  else object::free_request(*e);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

inline int start(MPI_Request* request) noexcept {
  call::wrapper_scope scope(fn::start::id);
  object::request_entry* e = nullptr;
  if (object::look_up(*request, e) != object::found_request::live || !e->what.persistent ||
      e->what.state != object::request_stage::inactive)
    return object::raise_request(fn::start::id, neutral::err_request);
  const int rc = e->what.plan() != nullptr    ? object::start_plan(scope, *e)
                 : e->what.parts() != nullptr ? object::start_partitioned(*e)
                 : e->what.message().buffered ? object::start_buffered(*e)
                                              : object::start_persistent(*e);
  if (rc != neutral::success) e->what.state = object::request_stage::inactive;
  return object::raise_request(fn::start::id, rc);
}

inline int startall(int n, MPI_Request* requests) noexcept {
  if (n < 0) return object::raise_request(fn::startall::id, neutral::err_count);
  for (int i = 0; i < n; ++i)
    if (const int rc = start(requests + i); rc != MPI_SUCCESS) return rc;
  return MPI_SUCCESS;
}

inline int grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                          MPI_Grequest_cancel_function* cancel, void* extra, MPI_Request* request) noexcept {
  return object::start_generalized<fn::grequest_start>({query, free, cancel, extra, MPI_SUCCESS, false}, request);
}

/// After this another thread may own the request, and end it.
inline int grequest_complete(MPI_Request request) noexcept {
  call::wrapper_scope scope(fn::grequest_complete::id);
  object::request_entry* e = nullptr;
  if (object::look_up(request, e) != object::found_request::live || !object::is_generalized(*e) ||
      object::is_complete(*e))
    return object::raise_request(fn::grequest_complete::id, neutral::err_request);
  const bool last = object::complete_or_free(*e, true);
  const int rc = last ? object::free_now(*e) : MPI_SUCCESS;
  if (!last) object::announce_completion();
  return object::raise_code(fn::grequest_complete::id, rc);
}

}  // namespace mana::manual
