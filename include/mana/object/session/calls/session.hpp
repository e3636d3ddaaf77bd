// Sessions (MPI-4.0, chapter 11.3). The live MPI runs once in a process, from the first MPI_Init or MPI_Session_init.
// If the program uses sessions, it ends with the process, since another session may be opened until then. The process
// sets are mpi://WORLD and mpi://SELF; the world's ranks determine both.
#pragma once
#include <mana/call/declared.hpp>
#include <mana/call/library.hpp>
#include <mana/library/init.hpp>
#include <mana/object/comm/calls/intercomm.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/session/descriptor.hpp>
#include <mana/object/session/error.hpp>

#include <strings.h>

#include <cstdlib>
#include <functional>
#include <string_view>

#if defined(MANA_DECLARES_MPI_Session_init)

namespace mana::object {

/// The buffer that is attached to a session.
inline buffer_place place_of(const session_entry& s) noexcept {
  return {buffer_place::session, vid::table<kind::session>().id_of(s).bits()};
}

/// The frame of calls on a session. use(session_entry&) returns a neutral error class.
template <class Fn, class Use>
inline int with_session(MPI_Session session, const char* detail, Use&& use) noexcept {
  session_entry* const s = find_session(session);
  if (s == nullptr) return fail(Fn::id, neutral::err_session, "null, stale or foreign session");
  const int rc = use(*s);
  return rc == neutral::success ? MPI_SUCCESS : raise_session(session, Fn::id, rc, detail);
}

struct thread_level_row { int level; const char* name; };
inline constexpr thread_level_row thread_levels[] = {{neutral::thread_single, "MPI_THREAD_SINGLE"},
                                                     {neutral::thread_funneled, "MPI_THREAD_FUNNELED"},
                                                     {neutral::thread_serialized, "MPI_THREAD_SERIALIZED"},
                                                     {neutral::thread_multiple, "MPI_THREAD_MULTIPLE"}};

/// in: neutral thread level
inline const char* thread_level_name(int level) noexcept {
  for (const thread_level_row& row : thread_levels)
    if (row.level == level) return row.name;
  return thread_levels[0].name;
}

/// The neutral level that a session's hints ask for; otherwise the lowest one.
inline int wanted_level(MPI_Info info) noexcept {
  const info_store* const hints = hints_of(info);
  const std::string* const wanted = hints != nullptr ? hints->find("thread_level") : nullptr;
  for (const thread_level_row& row : thread_levels)
    if (wanted != nullptr && *wanted == row.name) return row.level;
  return neutral::thread_single;
}

/// Runs when the process exits. It does nothing if sessions are open or the program still needs MPI: natively too, such
/// a program has not ended it.
inline void end_at_exit() noexcept {
  call::library_state& lib = call::library();
  if (lib.live != call::life::initialized || lib.open_sessions != 0 || lib.state == call::life::initialized) return;
  call::wrapper_scope scope(fn::session_finalize::id);
  library::end_live_mpi(scope);
}

struct process_set {
  const char* name;
  bool is_world;
};
inline constexpr process_set process_sets[] = {{"mpi://WORLD", true}, {"mpi://SELF", false}};

inline const process_set* find_process_set(const char* name) noexcept {
  for (const process_set& set : process_sets)
    if (name != nullptr && strcasecmp(name, set.name) == 0) return &set;
  return nullptr;
}
inline const vid::rank_map& ranks_of(const process_set& set) noexcept {
  return *(set.is_world ? comms().world : comms().self).what.ranks;
}

inline int no_such_set(MPI_Session session, function_id f) noexcept {
  return raise_session(session, f, neutral::err_arg, "no process set of this name: mpi://WORLD and mpi://SELF exist");
}

/// MPI_Comm_create_from_group, with an error handler's name. out: neutral error class
template <class Fn>
inline int comm_from_group(const group_members& members, const char* stringtag, std::uint32_t errhandler,
                           MPI_Comm* out) noexcept {
  const std::uint64_t key = vid::mix64(std::hash<std::string_view>{}(stringtag));
  const int tag = hidden_tag(key);
  return construct_from_group<Fn>(group_call{members, key, errhandler}, out, [&](real<kind::comm>* made) noexcept {
    return lower::the_bridge().service->comm_from_ranks(members.world_ranks, members.size, tag, made); });
}

}  // namespace mana::object

namespace mana::manual {

inline int session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) noexcept {
  using f = fn::session_init;
  if (!lower::has_lower_half()) call::end_without_lower_half();
  call::wrapper_scope scope(f::id);
  const std::uint32_t name = object::attachable(handler, kind_code::session);
  if (name == 0) return object::fail(f::id, neutral::err_errhandler, "not an error handler for sessions");
  const auto give_up = [name](int error, const char* words) {
    return object::run_errhandler(name, MPI_SESSION_NULL, app::error_code(error), f::id, words);
  };
  const object::info_store* const given = object::hints_of(info);
  const object::info_store none;
  object::kept_hints hints(given != nullptr ? given : &none);
  object::session_entry* const s = hints.ok() ? vid::table<kind::session>().insert_entry() : nullptr;
  if (s == nullptr) return give_up(neutral::err_no_mem, "no free session or info id");
  const int rc = library::start_live_mpi(scope, object::wanted_level(info));
  if (rc != neutral::success) {
    vid::table<kind::session>().erase(*s);
    return give_up(rc, "the MPI library did not start, or has ended");
  }
  static const int registered = std::atexit(object::end_at_exit);
  (void)registered;
  ++call::library().open_sessions;
  object::keep_errhandler(name);
  s->what.errhandler = name;
  hints.replace(s->what.info);
  object::hints_named(s->what.info)->set("thread_level", object::thread_level_name(call::library().thread_level));
  *session = app::from_virt<kind::session>(vid::table<kind::session>().id_of(*s));
  return MPI_SUCCESS;
}

inline int session_finalize(MPI_Session* session) noexcept {
  return object::with_session<fn::session_finalize>(*session, nullptr, [&](object::session_entry& s) {
    --call::library().open_sessions;
    object::release_errhandler(s.what.errhandler);
    object::free_info_name(s.what.info);
    object::forget_buffer(object::place_of(s));
    vid::table<kind::session>().erase(s);
    *session = MPI_SESSION_NULL;
    return int{neutral::success}; });
}

/// The hints with which it was made, and the level that it got.
inline int session_get_info(MPI_Session session, MPI_Info* info) noexcept {
  return object::with_session<fn::session_get_info>(session, object::no_info_id, [&](object::session_entry& s) {
    return object::give_hints(object::hints_named(s.what.info), info); });
}

inline int session_get_num_psets(MPI_Session session, MPI_Info, int* n) noexcept {
  return object::with_session<fn::session_get_num_psets>(session, nullptr, [&](object::session_entry&) {
    *n = static_cast<int>(std::size(object::process_sets));
    return int{neutral::success}; });
}

/// in: length: capacity with the string's end; 0: only the length is asked for
/// out: length of the name with its end
inline int session_get_nth_pset(MPI_Session session, MPI_Info, int n, int* length, char* name) noexcept {
  return object::with_session<fn::session_get_nth_pset>(session, "no such process set", [&](object::session_entry&) {
    if (n < 0 || n >= static_cast<int>(std::size(object::process_sets))) return int{neutral::err_arg};
    const std::string_view text = object::process_sets[n].name;
    if (*length > 0) {
      const std::size_t copied = text.copy(name, static_cast<std::size_t>(*length) - 1);
      name[copied] = '\0';
    }
    *length = static_cast<int>(text.size()) + 1;
    return int{neutral::success}; });
}

inline int session_get_pset_info(MPI_Session session, const char* name, MPI_Info* info) noexcept {
  const object::process_set* const set = object::find_process_set(name);
  if (object::find_session(session) != nullptr && set == nullptr)
    return object::no_such_set(session, fn::session_get_pset_info::id);
  return object::with_session<fn::session_get_pset_info>(session, object::no_info_id, [&](object::session_entry&) {
    object::info_store known;
    known.set("mpi_size", std::to_string(object::ranks_of(*set).size));
    return object::give_hints(&known, info); });
}

inline int group_from_session_pset(MPI_Session session, const char* name, MPI_Group* group) noexcept {
  const object::process_set* const set = object::find_process_set(name);
  if (object::find_session(session) != nullptr && set == nullptr)
    return object::no_such_set(session, fn::group_from_session_pset::id);
  return object::with_session<fn::group_from_session_pset>(session, object::no_group_id, [&](object::session_entry& s) {
    return object::make_group(object::ranks_of(*set), group, vid::table<kind::session>().id_of(s).bits()); });
}

inline int comm_create_from_group(MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler handler,
                                  MPI_Comm* out) noexcept {
  using f = fn::comm_create_from_group;
  const object::group_members members = object::members_of_group(group);
  const std::uint32_t name = object::attachable(handler, kind_code::comm);
  *out = MPI_COMM_NULL;
  if (members.ok && members.size == 0) return MPI_SUCCESS;
  if (name == 0) return object::raise_for_new(handler, f::id, neutral::err_errhandler, "not for communicators");
  if (!object::has_this_process(members))
    return object::raise_for_new(handler, f::id, neutral::err_group, "no group with this process");
  object::kept_hints hints(object::hints_of(info));
  if (!hints.ok()) return object::raise_for_new(handler, f::id, neutral::err_no_mem, object::no_info_id);
  const int rc = object::comm_from_group<f>(members, stringtag, name, out);
  if (rc != neutral::success) return object::raise_for_new(handler, f::id, rc, object::words_for(rc));
  hints.replace(resolve<kind::comm>(*out).e->what.info);
  return MPI_SUCCESS;
}

/// Makes a temporary communicator of the local group, for as long as the groups need it to meet.
inline int intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group,
                                        int remote_leader, const char* stringtag, MPI_Info info, MPI_Errhandler handler,
                                        MPI_Comm* out) noexcept {
  using f = fn::intercomm_create_from_groups;
  const object::group_members local = object::members_of_group(local_group),
                              remote = object::members_of_group(remote_group);
  const std::uint32_t name = object::attachable(handler, kind_code::comm);
  *out = MPI_COMM_NULL;
  if (name == 0) return object::raise_for_new(handler, f::id, neutral::err_errhandler, "not for communicators");
  if (!object::has_this_process(local) || local_leader < 0 || local_leader >= local.size)
    return object::raise_for_new(handler, f::id, neutral::err_group,
                                    "no local group with this process and that leader");
  object::contact to;
  if (!remote.ok) to.error = neutral::err_group;
  else if (remote_leader < 0 || remote_leader >= remote.size) to.error = neutral::err_rank;
  else to = {neutral::success, remote.world_ranks[remote_leader], std::hash<std::string_view>{}(stringtag)};
  object::kept_hints hints(object::hints_of(info));
  if (!hints.ok()) return object::raise_for_new(handler, f::id, neutral::err_no_mem, object::no_info_id);
  MPI_Comm meeting = MPI_COMM_NULL;
  int rc = object::comm_from_group<f>(local, stringtag, name, &meeting);
  if (rc == neutral::success) rc = object::join_groups<f>(meeting, local_leader, to, out);
  if (meeting != MPI_COMM_NULL) object::free_comm(&meeting);
  if (rc != neutral::success) return object::raise_for_new(handler, f::id, rc, object::words_for(rc));
  hints.replace(resolve<kind::comm>(*out).e->what.info);
  return MPI_SUCCESS;
}

inline int session_set_errhandler(MPI_Session session, MPI_Errhandler handler) noexcept {
  return object::with_session<fn::session_set_errhandler>(
      session, "not an error handler for sessions", [&](object::session_entry& s) {
    const std::uint32_t name = object::attachable(handler, kind_code::session);
    if (name == 0) return int{neutral::err_errhandler};
    object::keep_errhandler(name);
    object::release_errhandler(s.what.errhandler);
    s.what.errhandler = name;
    return int{neutral::success}; });
}
inline int session_get_errhandler(MPI_Session session, MPI_Errhandler* out) noexcept {
  return object::with_session<fn::session_get_errhandler>(session, nullptr, [&](object::session_entry& s) {
    object::keep_errhandler(s.what.errhandler);          // the program frees the handle that it gets
    *out = object::errhandler_handle(s.what.errhandler);
    return int{neutral::success}; });
}
inline int session_call_errhandler(MPI_Session session, int code) noexcept {
  const int rc = object::with_session<fn::session_call_errhandler>(session, nullptr, [&](object::session_entry& s) {
    object::run_errhandler(s.what.errhandler, session, code, fn::session_call_errhandler::id,
                           "called by the application");
    return int{neutral::success};
  });
  return rc == MPI_SUCCESS ? object::succeeds_after_handler : rc;
}

}  // namespace mana::manual

#endif
