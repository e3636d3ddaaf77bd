// MPI_T: forwarded to the library below; its names are visible to the program. See object/tool/life.hpp and
// object/tool/numbers.hpp.
#pragma once
#include <mana/object/tool/categories.hpp>

namespace mana::manual {

inline int t_init_thread(int required, int* provided) noexcept {
  call::wrapper_scope scope(fn::t_init_thread::id);
  object::tool_interface& t = object::tools();
  const std::lock_guard hold(t.lock);
  if (!t.below) {
    const int rc = object::tool_below<fn::t_init_thread>(app::neutral_thread_level(required), &t.level);
    if (rc != neutral::success) return app::error_code(rc);
    t.below = true;
  }
  ++t.users;
  object::give(provided, app::thread_level(t.level));
  return MPI_SUCCESS;
}

/// The last call frees all handles, as the standard says.
inline int t_finalize() noexcept {
  return object::tool_call<fn::t_finalize>([] {
    if (--object::tools().users > 0) return int{neutral::success};
    for (const object::tool_form form : {object::tool_form::cvar, object::tool_form::session})
      object::for_each_tool(form, [](object::tool_entry& e) { object::free_below(e); });
    vid::table<kind::tool>().for_each_unordered([](object::tool_entry& e) { vid::table<kind::tool>().erase(e); });
    return int{neutral::success};
  });
}

// --- control variables

inline int t_cvar_get_num(int* n) noexcept {
  return object::tool_count<fn::t_cvar_get_num>(n, [] { return object::numbers().cvar_count(); });
}
inline int t_cvar_get_index(const char* name, int* index) noexcept {
  return object::tool_index<fn::t_cvar_get_index>(
      index, [=](int* live) { return object::tool_below<fn::t_cvar_get_index>(name, live); },
      [](int live) { return object::numbers().told_cvar(live); });
}
inline int t_cvar_get_info(int number, char* name, int* name_length, int* verbosity, MPI_Datatype* datatype,
                           MPI_T_enum* enumeration, char* desc, int* desc_length, int* bind, int* scope) noexcept {
  return object::tool_call<fn::t_cvar_get_info>([&] {
    object::variable v;
    const int index = object::numbers().live_cvar(number);
    const int rc = object::ask_cvar(index, {name, name_length}, {desc, desc_length}, v);
    if (rc != neutral::success) return rc;
    object::give(verbosity, app::app_constant<kind::verbosity>(v.verbosity));
    object::give(bind, app::app_constant<kind::bind_type>(v.bind));
    object::give(scope, app::app_constant<kind::scope>(v.scope));
    if (datatype != nullptr) *datatype = app::predefined_handle<kind::datatype>(object::datatype_code(v.datatype));
    return object::give_enumeration(v.enumeration, false, index, 0, enumeration);
  });
}
inline int t_cvar_handle_alloc(int number, void* object, MPI_T_cvar_handle* handle, int* count) noexcept {
  return object::tool_call<fn::t_cvar_handle_alloc>([&] {
    if (handle == nullptr || count == nullptr) return int{neutral::err_t_invalid};
    object::tool_entry* made = nullptr;
    const int index = object::numbers().live_cvar(number);
    const int rc = object::allocate_handle(object::tool_form::cvar, nullptr, index, object, &made, count);
    if (rc == neutral::success) *handle = object::tool_handle<MPI_T_cvar_handle>(*made);
    return rc;
  });
}
/// A handle that a restart made invalid can be freed too.
inline int t_cvar_handle_free(MPI_T_cvar_handle* handle) noexcept {
  return object::tool_call<fn::t_cvar_handle_free>([&] {
    object::tool_entry* const e = handle != nullptr ? object::find_tool(*handle, object::tool_form::cvar) : nullptr;
    if (e == nullptr) return int{neutral::err_t_invalid_handle};
    const int rc = object::free_below(*e);
    vid::table<kind::tool>().erase(*e);
    *handle = MPI_T_CVAR_HANDLE_NULL;
    return rc;
  });
}
inline int t_cvar_read(MPI_T_cvar_handle handle, void* value) noexcept {
  return object::tool_call<fn::t_cvar_read>([&] {
    const object::tool_entry* const e = object::find_valid(handle, object::tool_form::cvar);
    return e != nullptr ? object::tool_below<fn::t_cvar_read>(object::live<kind::cvar>(*e), value)
                        : int{neutral::err_t_invalid_handle};
  });
}
/// The value is kept: a restart writes it again.
inline int t_cvar_write(MPI_T_cvar_handle handle, const void* value) noexcept {
  return object::tool_call<fn::t_cvar_write>([&] {
    object::tool_entry* const e = object::find_valid(handle, object::tool_form::cvar);
    if (e == nullptr) return int{neutral::err_t_invalid_handle};
    const int rc = object::tool_below<fn::t_cvar_write>(object::live<kind::cvar>(*e), value);
    descriptor<kind::tool>& d = e->what;
    if (rc != neutral::success || d.value_bytes == 0) return rc;
    if (d.value == nullptr) d.value = std::malloc(static_cast<std::size_t>(d.value_bytes));
    if (d.value == nullptr) return rc;
    // Read back from the library: the caller's buffer for a text may be shorter than the longest value.
    d.written = object::tool_below<fn::t_cvar_read>(object::live<kind::cvar>(*e), d.value) == neutral::success;
    return rc;
  });
}

// --- performance variables

inline int t_pvar_get_num(int* n) noexcept {
  return object::tool_count<fn::t_pvar_get_num>(n, [] { return object::numbers().pvar_count(); });
}
inline int t_pvar_get_index(const char* name, int var_class, int* index) noexcept {
  const int neutral_class = app::neutral_constant<kind::pvar_class>(var_class);
  return object::tool_index<fn::t_pvar_get_index>(
      index, [=](int* live) { return object::tool_below<fn::t_pvar_get_index>(name, neutral_class, live); },
      [](int live) { return object::numbers().told_pvar(live); });
}
inline int t_pvar_get_info(int number, char* name, int* name_length, int* verbosity, int* var_class,
                           MPI_Datatype* datatype, MPI_T_enum* enumeration, char* desc, int* desc_length, int* bind,
                           int* readonly, int* continuous, int* atomic) noexcept {
  return object::tool_call<fn::t_pvar_get_info>([&] {
    object::variable v;
    const int index = object::numbers().live_pvar(number);
    const int rc = object::ask_pvar(index, {name, name_length}, {desc, desc_length}, v);
    if (rc != neutral::success) return rc;
    object::give(verbosity, app::app_constant<kind::verbosity>(v.verbosity));
    object::give(var_class, app::app_constant<kind::pvar_class>(v.pvar_class));
    object::give(bind, app::app_constant<kind::bind_type>(v.bind));
    object::give(readonly, v.readonly);
    object::give(continuous, v.continuous);
    object::give(atomic, v.atomic);
    if (datatype != nullptr) *datatype = app::predefined_handle<kind::datatype>(object::datatype_code(v.datatype));
    return object::give_enumeration(v.enumeration, true, index, v.pvar_class, enumeration);
  });
}
inline int t_pvar_session_create(MPI_T_pvar_session* session) noexcept {
  return object::tool_call<fn::t_pvar_session_create>([&] {
    if (session == nullptr) return int{neutral::err_t_invalid};
    object::tool_entry* const e = vid::table<kind::tool>().insert_entry();
    if (e == nullptr) return int{neutral::err_t_out_of_sessions};
    e->what.form = object::tool_form::session;
    const int rc = object::create_session_below(*e);
    if (rc == neutral::success) *session = object::tool_handle<MPI_T_pvar_session>(*e);
    else vid::table<kind::tool>().erase(*e);
    return rc;
  });
}
/// Frees the session's handles too.
inline int t_pvar_session_free(MPI_T_pvar_session* session) noexcept {
  return object::tool_call<fn::t_pvar_session_free>([&] {
    object::tool_entry* const s =
        session != nullptr ? object::find_tool(*session, object::tool_form::session) : nullptr;
    if (s == nullptr) return int{neutral::err_t_invalid_session};
    object::for_each_tool(object::tool_form::pvar, [s](object::tool_entry& e) {
      if (e.what.session == s) vid::table<kind::tool>().erase(e); });
    const int rc = object::free_below(*s);
    vid::table<kind::tool>().erase(*s);
    *session = MPI_T_PVAR_SESSION_NULL;
    return rc;
  });
}
inline int t_pvar_handle_alloc(MPI_T_pvar_session session, int number, void* object, MPI_T_pvar_handle* handle,
                               int* count) noexcept {
  return object::tool_call<fn::t_pvar_handle_alloc>([&] {
    object::tool_entry* const s = object::find_valid(session, object::tool_form::session);
    if (s == nullptr) return int{neutral::err_t_invalid_session};
    if (handle == nullptr || count == nullptr) return int{neutral::err_t_invalid};
    object::tool_entry* made = nullptr;
    const int index = object::numbers().live_pvar(number);
    const int rc = object::allocate_handle(object::tool_form::pvar, s, index, object, &made, count);
    if (rc == neutral::success) *handle = object::tool_handle<MPI_T_pvar_handle>(*made);
    return rc;
  });
}
inline int t_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) noexcept {
  return object::tool_call<fn::t_pvar_handle_free>([&] {
    const object::tool_entry* const s = object::find_tool(session, object::tool_form::session);
    if (s == nullptr) return int{neutral::err_t_invalid_session};
    object::tool_entry* const e = handle != nullptr ? object::find_tool(*handle, object::tool_form::pvar) : nullptr;
    if (e == nullptr || e->what.session != s) return int{neutral::err_t_invalid_handle};
    const int rc = object::free_below(*e);
    vid::table<kind::tool>().erase(*e);
    *handle = MPI_T_PVAR_HANDLE_NULL;
    return rc;
  });
}

}  // namespace mana::manual

namespace mana::object {

/// The frame of functions on a session's handle. With MPI_T_PVAR_ALL_HANDLES, where it is allowed, they act on all
/// handles.
/// use(session's real, handle's real), done(entry) for each handle for which it succeeded
template <class Fn, class Use, class Done>
inline int use_pvar(MPI_T_pvar_session session, MPI_T_pvar_handle handle, bool all_allowed, Use&& use,
                    Done&& done) noexcept {
  return tool_call<Fn>([&] {
    const tool_entry* const s = find_valid(session, tool_form::session);
    if (s == nullptr) return int{neutral::err_t_invalid_session};
    if (all_allowed && handle == MPI_T_PVAR_ALL_HANDLES) {
      const int rc = use(live<kind::pvar_session>(*s), real<kind::pvar>(neutral::all_pvar_handles));
      for_each_tool(tool_form::pvar, [&](tool_entry& e) {
        if (rc == neutral::success && e.what.session == s) done(e); });
      return rc;
    }
    tool_entry* const e = find_valid(handle, tool_form::pvar);
    if (e == nullptr || e->what.session != s) return int{neutral::err_t_invalid_handle};
    const int rc = use(live<kind::pvar_session>(*s), live<kind::pvar>(*e));
    if (rc == neutral::success) done(*e);
    return rc;
  });
}
inline constexpr auto no_note = [](tool_entry&) noexcept {};

}  // namespace mana::object

namespace mana::manual {

inline int t_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) noexcept {
  return object::use_pvar<fn::t_pvar_start>(
      session, handle, true, [](auto s, auto h) { return object::tool_below<fn::t_pvar_start>(s, h); },
      [](object::tool_entry& e) { e.what.started = true; });
}
inline int t_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) noexcept {
  return object::use_pvar<fn::t_pvar_stop>(
      session, handle, true, [](auto s, auto h) { return object::tool_below<fn::t_pvar_stop>(s, h); },
      [](object::tool_entry& e) { e.what.started = false; });
}
inline int t_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) noexcept {
  return object::use_pvar<fn::t_pvar_reset>(
      session, handle, true, [](auto s, auto h) { return object::tool_below<fn::t_pvar_reset>(s, h); },
      object::no_note);
}
inline int t_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* value) noexcept {
  return object::use_pvar<fn::t_pvar_read>(session, handle, false, [=](auto s, auto h) {
    return object::tool_below<fn::t_pvar_read>(s, h, value); }, object::no_note);
}
inline int t_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* value) noexcept {
  return object::use_pvar<fn::t_pvar_readreset>(session, handle, false, [=](auto s, auto h) {
    return object::tool_below<fn::t_pvar_readreset>(s, h, value); }, object::no_note);
}
inline int t_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* value) noexcept {
  return object::use_pvar<fn::t_pvar_write>(session, handle, false, [=](auto s, auto h) {
    return object::tool_below<fn::t_pvar_write>(s, h, value); }, object::no_note);
}

// --- enumerations and categories

inline int t_enum_get_info(MPI_T_enum enumeration, int* n, char* name, int* name_length) noexcept {
  return object::tool_call<fn::t_enum_get_info>([&] {
    const object::tool_entry* const e = object::find_valid(enumeration, object::tool_form::enumeration);
    return e != nullptr
               ? object::tool_below<fn::t_enum_get_info>(object::live<kind::tool_enum>(*e), n, name, name_length)
               : int{neutral::err_t_invalid_handle};
  });
}
inline int t_enum_get_item(MPI_T_enum enumeration, int index, int* value, char* name, int* name_length) noexcept {
  return object::tool_call<fn::t_enum_get_item>([&] {
    const object::tool_entry* const e = object::find_valid(enumeration, object::tool_form::enumeration);
    return e != nullptr ? object::tool_below<fn::t_enum_get_item>(object::live<kind::tool_enum>(*e), index, value, name,
                                                                name_length)
                        : int{neutral::err_t_invalid_handle};
  });
}

inline int t_category_changed(int* number) noexcept {
  return object::tool_call<fn::t_category_changed>([=] {
    if (number == nullptr) return int{neutral::err_t_invalid};
    int live = 0;
    const int rc = object::tool_below<fn::t_category_changed>(&live);
    if (rc == neutral::success) *number = object::numbers().stamp(live);
    return rc;
  });
}
inline int t_category_get_num(int* n) noexcept {
  return object::tool_count<fn::t_category_get_num>(n, [] { return object::numbers().category_count(); });
}
inline int t_category_get_index(const char* name, int* index) noexcept {
  return object::tool_index<fn::t_category_get_index>(
      index, [=](int* live) { return object::tool_below<fn::t_category_get_index>(name, live); },
      [](int live) { return object::numbers().told_category(live); });
}
inline int t_category_get_info(int number, char* name, int* name_length, char* desc, int* desc_length, int* cvars,
                               int* pvars, int* categories) noexcept {
  return object::tool_call<fn::t_category_get_info>([=] {
    object::member_counts unused;
    object::category_members* members = nullptr;
    const int live = object::numbers().live_category(number);
    int rc = object::ask_category(live, {name, name_length}, {desc, desc_length}, unused);
    if (rc == neutral::success) rc = object::numbers().members_of(number, &members);
    if (rc != neutral::success) return rc;
    object::give(cvars, members->cvars.count());
    object::give(pvars, members->pvars.count());
    object::give(categories, members->categories.count());
    return rc;
  });
}

}  // namespace mana::manual

namespace mana::object {

/// The frame of functions that return a category's members of one kind.
template <class Fn>
inline int tool_members(int category, int n, int* out, told_members category_members::*kind) noexcept {
  return tool_call<Fn>([=] {
    category_members* members = nullptr;
    const int rc = numbers().members_of(category, &members);
    if (rc == neutral::success) (members->*kind).copy(n, out);
    return rc;
  });
}

}  // namespace mana::object

namespace mana::manual {

inline int t_category_get_cvars(int index, int n, int* out) noexcept {
  return object::tool_members<fn::t_category_get_cvars>(index, n, out, &object::category_members::cvars);
}
inline int t_category_get_pvars(int index, int n, int* out) noexcept {
  return object::tool_members<fn::t_category_get_pvars>(index, n, out, &object::category_members::pvars);
}
inline int t_category_get_categories(int index, int n, int* out) noexcept {
  return object::tool_members<fn::t_category_get_categories>(index, n, out, &object::category_members::categories);
}

}  // namespace mana::manual
