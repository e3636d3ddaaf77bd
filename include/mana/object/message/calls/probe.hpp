// Probes and matched receives. They look at drained messages first, in order, then at the network.
#pragma once
#include <mana/call/library.hpp>
#include <mana/call/wait.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/message/state.hpp>
#include <mana/object/request/blocking_hold.hpp>
#include <mana/object/request/calls/request.hpp>
#include <mana/object/request/state.hpp>

namespace mana::object {

using message_entry = vid::entry<kind::message>;

struct probe_arguments {
  resolved<kind::comm> comm;
  int source, tag;
  int error = neutral::success;
  probe_arguments(int app_source, int app_tag, MPI_Comm c) noexcept
      : comm(resolve<kind::comm>(c)) {
    const neutral::envelope given = app::neutral_envelope(app_source, app_tag);
    source = given.rank;
    tag = given.tag;
    if (!comm.ok) error = neutral::err_comm;
    else if (source >= comm.e->what.peers->size || source < neutral::proc_null) error = neutral::err_rank;
  }
};

/// Tells the clock about a fruitless probe. out: attention: the thread must park
inline lower::wait_end announce_probe(const probe_arguments& p) noexcept {
  const vid::rank_map& ranks = *p.comm.e->what.peers;
  const bool anyone = p.source == neutral::any_source;
  const int peer = anyone || p.source < 0 ? 0 : ranks.world_ranks[p.source];
  const lower::services& s = *lower::the_bridge().service;
  return lower::cross([&] { return s.clock_wait(&peer, anyone ? -1 : p.source < 0 ? 0 : 1); });
}

/// Polls until a message has come; with a flag, only once.
/// in: poll  (int& there) → neutral error class; without a flag it may wait      out: neutral error class
template <class Poll>
inline int find_message(call::wrapper_scope& scope, const probe_arguments& p, const int* flag, int& there,
                        Poll&& poll) noexcept {
  int rc = neutral::success;
  const auto announce = [&] { return announce_probe(p); };
  const auto found = [&] { return (rc = poll(there)) != neutral::success || there != 0; };
  if (flag != nullptr) call::look(found, announce);
  else call::wait(scope, [&] { return found() ? call::poll_end::done : call::poll_end::waits; }, announce);
  return rc;
}

/// MPI_Probe (flag == nullptr) and MPI_Iprobe.
inline int probe_call(function_id f, int source, int tag, MPI_Comm comm, int* flag, MPI_Status* out) noexcept {
  call::wrapper_scope scope(f);
  const probe_arguments p(source, tag, comm);
  if (p.error != 0) return raise(p.error == neutral::err_comm ? MPI_COMM_NULL : comm, f, p.error, nullptr);
  const blocking_hold hold(p.comm.e);
  neutral::status status{};
  int there = 0;
  const int rc = find_message(scope, p, flag, there, [&](int& is_there) {
    is_there = probe_held(p.comm.e->what, p.source, p.tag, status);
    if (is_there != 0) return int{neutral::success};
    const lower::services& s = *lower::the_bridge().service;    // read again after each park: it is another one
    return lower::cross([&] { return s.probe(p.source, p.tag, p.comm.e->real, flag == nullptr, &is_there, &status); });
  });
  if (rc != neutral::success) return raise(comm, f, rc, nullptr);
  if (flag != nullptr) *flag = there;
  if (there != 0 && status_or_null(out) != nullptr) app::store_status(out, status);
  return MPI_SUCCESS;
}

/// MPI_Mprobe (flag == nullptr) and MPI_Improbe.
inline int mprobe_call(function_id f, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                       MPI_Status* out) noexcept {
  call::wrapper_scope scope(f);
  const probe_arguments p(source, tag, comm);
  if (p.error != 0) return raise(p.error == neutral::err_comm ? MPI_COMM_NULL : comm, f, p.error, nullptr);
  const blocking_hold hold(p.comm.e);
  message_entry* const e = vid::table<kind::message>().insert_entry();
  if (e == nullptr) return raise(comm, f, neutral::err_no_mem, "no free message id");
  e->what.messages = p.comm.e->what.messages;
  int there = 0;
  const int rc = find_message(scope, p, flag, there, [&](int& is_there) {
    if (held_message* const held = take_held(p.comm.e->what, p.source, p.tag)) {
      e->what.held = held;
      e->what.status = status_of(*held);
      is_there = 1;
      return int{neutral::success};
    }
    const lower::services& s = *lower::the_bridge().service;    // read again after each park: it is another one
    return lower::cross([&] {
      return s.mprobe(p.source, p.tag, p.comm.e->real, flag == nullptr, &is_there, &e->real, &e->what.status); });
  });
  if (rc != neutral::success) {
    vid::table<kind::message>().erase(*e);
    return raise(comm, f, rc, nullptr);
  }
  if (flag != nullptr) *flag = there;
  if (there != 0 && status_or_null(out) != nullptr) app::store_status(out, e->what.status);
  const bool no_process = there != 0 && e->what.status.source == neutral::proc_null;
  e->what.matched = take_next(requests().next_posted, call::library().callers);
  if (there != 0 && !no_process) {
    keep_comm(*(e->what.on = p.comm.e));
    messages().matched.fetch_add(1, std::memory_order_relaxed);
    *message = app::from_virt<kind::message>(vid::table<kind::message>().id_of(*e));
  } else {
    if (no_process) *message = MPI_MESSAGE_NO_PROC;
    vid::table<kind::message>().erase(*e);
  }
  return MPI_SUCCESS;
}

/// MPI_Imrecv; MPI_Mrecv waits for its request. If a drain had received the message, the request is done at once.
/// out: neutral error class
inline int start_matched(MPI_Message* message, void* buffer, std::int64_t count, MPI_Datatype type,
                         request_entry*& request) noexcept {
  const resolved<kind::datatype> t = resolve<kind::datatype>(type);
  if (!t.ok) return neutral::err_type;
  const bool no_process = *message == MPI_MESSAGE_NO_PROC;
  message_entry* const m =
      no_process ? nullptr : vid::table<kind::message>().find(app::to_virt<kind::message>(*message));
  if (m == nullptr && !no_process) return neutral::err_request;
  request = new_message(request_form::matched_recv, no_process ? comms().self : *m->what.on);
  if (request == nullptr) return neutral::err_no_mem;
  descriptor<kind::request>& r = request->what;
  r.names.datatype = name_of(t);
  if (t.e != nullptr) {
    count_up(t.e->references, call::library().callers);
    r.keep_more();
  }
  r.message().buffer = buffer;
  r.message().count = count;
  r.message().peer = no_process ? int{neutral::proc_null} : m->what.status.source;
  int rc = neutral::success;
  if (no_process) {
    r.state = request_stage::done;
    r.status = {neutral::proc_null, neutral::any_tag, neutral::success, 0, 0};
  } else if (m->what.held != nullptr) {
    r.status = deliver(m->what.held, buffer, count, t.real);
    r.state = request_stage::done;
  } else {
    const lower::services& s = *lower::the_bridge().service;
    rc = lower::cross([&] { return s.imrecv(buffer, count, t.real, m->real, &request->real); });
  }
  if (rc != neutral::success) { free_request(*request); return rc; }
  if (m != nullptr) {
    messages().matched.fetch_sub(1, std::memory_order_relaxed);
    note_received(*m->what.messages, m->what.status.source, m->what.status.tag, m->what.matched);
    let_go_of_comm(*m->what.on);           // never the last reference: the request is on it too
    vid::table<kind::message>().erase(*m);
  }
  *message = MPI_MESSAGE_NULL;
  return neutral::success;
}

template <class Fn>
inline int mrecv_call(void* buffer, std::int64_t count, MPI_Datatype type, MPI_Message* message,
                      MPI_Status* out) noexcept {
  call::wrapper_scope scope(Fn::id);
  request_entry* request = nullptr;
  if (const int rc = start_matched(message, buffer, count, type, request); rc != neutral::success)
    return raise_request(Fn::id, rc);
  await_one(scope, *request);
  MPI_Request ignored = MPI_REQUEST_NULL;
  return raise_code(Fn::id, hand_over(*request, &ignored, status_or_null(out), false));
}

template <class Fn>
inline int imrecv_call(void* buffer, std::int64_t count, MPI_Datatype type, MPI_Message* message,
                       MPI_Request* out) noexcept {
  call::wrapper_scope scope(Fn::id);
  request_entry* request = nullptr;
  if (const int rc = start_matched(message, buffer, count, type, request); rc != neutral::success)
    return raise_request(Fn::id, rc);
  *out = app::from_virt<kind::request>(vid::table<kind::request>().id_of(*request));
  return MPI_SUCCESS;
}

}  // namespace mana::object

namespace mana::manual {

inline int probe(int s, int g, MPI_Comm c, MPI_Status* st) noexcept {
  return object::probe_call(fn::probe::id, s, g, c, nullptr, st);
}
inline int iprobe(int s, int g, MPI_Comm c, int* flag, MPI_Status* st) noexcept {
  return object::probe_call(fn::iprobe::id, s, g, c, flag, st);
}
inline int mprobe(int s, int g, MPI_Comm c, MPI_Message* m, MPI_Status* st) noexcept {
  return object::mprobe_call(fn::mprobe::id, s, g, c, nullptr, m, st);
}
inline int improbe(int s, int g, MPI_Comm c, int* flag, MPI_Message* m, MPI_Status* st) noexcept {
  return object::mprobe_call(fn::improbe::id, s, g, c, flag, m, st);
}
inline int mrecv(void* b, int n, MPI_Datatype t, MPI_Message* m, MPI_Status* st) noexcept {
  return object::mrecv_call<fn::mrecv>(b, n, t, m, st);
}
inline int mrecv_c(void* b, MPI_Count n, MPI_Datatype t, MPI_Message* m, MPI_Status* st) noexcept {
  return object::mrecv_call<fn::mrecv_c>(b, n, t, m, st);
}
inline int imrecv(void* b, int n, MPI_Datatype t, MPI_Message* m, MPI_Request* r) noexcept {
  return object::imrecv_call<fn::imrecv>(b, n, t, m, r);
}
inline int imrecv_c(void* b, MPI_Count n, MPI_Datatype t, MPI_Message* m, MPI_Request* r) noexcept {
  return object::imrecv_call<fn::imrecv_c>(b, n, t, m, r);
}

}  // namespace mana::manual
