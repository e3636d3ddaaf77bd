// The tools interface (MPI_T). Variables and categories are those of the library below. Handles are virtual, and a
// restart finds their variables again by name. Their numbers: object/tool/numbers.hpp. An `index` in this file is the
// live library's.
#pragma once
#include <mana/object/datatype/descriptor.hpp>
#include <mana/app/argument.hpp>
#include <mana/call/scope.hpp>
#include <mana/object/tool/descriptor.hpp>

#include <cstdlib>
#include <cstring>
#include <mutex>

namespace mana::object {

using tool_entry = vid::entry<kind::tool>;

/// Users are counted only here. The first user initializes the library below, and it stays initialized. MPICH 4.0
/// crashes in MPI_Init after a last MPI_T_finalize before it, and Open MPI 4.1 crashes in a last MPI_T_finalize after
/// MPI_Finalize.
struct tool_interface {
  std::mutex lock;          // held across switches too: these functions do not wait for others
  int users = 0;
  bool below = false;       // the live library is initialized
  int level = 0;
  unsigned restarts = 0;    // counts restarts, after which numbers may differ: see object/tool/numbers.hpp
};
inline tool_interface& tools() noexcept {
  static tool_interface state;
  return state;
}

template <class Handle>
inline Handle tool_handle(const tool_entry& e) noexcept {
  return app::handle_of_bits<Handle>(vid::table<kind::tool>().id_of(e).bits());
}
/// out: nullptr for a handle that is not a live one of this form
template <class Handle>
inline tool_entry* find_tool(Handle handle, tool_form form) noexcept {
  const std::uint64_t bits = app::handle_bits(handle);
  tool_entry* const e =
      bits >> 32 == 0 ? vid::table<kind::tool>().find(virt<kind::tool>(static_cast<std::uint32_t>(bits))) : nullptr;
  return e != nullptr && e->what.form == form ? e : nullptr;
}
/// The handle, if the live library has its variable.
template <class Handle>
inline tool_entry* find_valid(Handle handle, tool_form form) noexcept {
  tool_entry* const e = find_tool(handle, form);
  return e != nullptr && e->real ? e : nullptr;
}

/// The live library's handle, of the entry's form.
template <class Form>
inline real<Form> live(const tool_entry& e) noexcept { return real<Form>(e.real.bits()); }
/// make(real<Form>*) replaces the entry's handle, or ends it. out: its result
template <class Form, class Make>
inline int change_live(tool_entry& e, Make&& make) noexcept {
  real<Form> handle = live<Form>(e);
  const int rc = make(&handle);
  e.real = real<kind::tool>(handle.bits());
  return rc;
}

template <class F>
inline void for_each_tool(tool_form form, F&& f) noexcept {
  vid::table<kind::tool>().for_each_unordered([&](tool_entry& e) { if (e.what.form == form) f(e); });
}

/// Calls the library's function of this name. out: neutral error class
template <class Fn, class... A>
inline int tool_below(A... arguments) noexcept {
  auto* const slot = lower::the_bridge().mpi->*Fn::slot;
  return lower::cross([&] { return slot(arguments...); });
}

/// The frame of every function except MPI_T_init_thread. body(): neutral error class. No error handler is called.
template <class Fn, class Body>
inline int tool_call(Body&& body) noexcept {
  call::wrapper_scope scope(Fn::id);
  const std::lock_guard hold(tools().lock);
  return app::error_code(tools().users > 0 ? body() : int{neutral::err_t_not_initialized});
}
/// A function whose arguments mean the same on both sides.
template <class Fn, class... A>
inline int tool_forward(A... arguments) noexcept {
  return tool_call<Fn>([&] { return tool_below<Fn>(arguments...); });
}

template <class T, class V>
inline void give(T* out, V value) noexcept {
  if (out != nullptr) *out = static_cast<T>(value);
}

/// Neutral code of a predefined datatype of the live MPI.
inline std::uint32_t datatype_code(real<kind::datatype> type) noexcept {
  for (std::uint32_t code = neutral::datatype_null; code < neutral::predefined_limit; ++code)
    if (lower::predefined_of<kind::datatype>(code) == type) return code;
  return neutral::datatype_null;
}
/// Bytes of an element of the types that variables have; 0 for others.
inline int element_bytes(std::uint32_t code) noexcept {
  const MPI_Datatype type = app::predefined_handle<kind::datatype>(code);
  if (type == MPI_CHAR || type == MPI_C_BOOL || type == MPI_BYTE) return 1;
  if (type == MPI_INT || type == MPI_UNSIGNED || type == MPI_INT32_T || type == MPI_UINT32_T || type == MPI_FLOAT)
    return 4;
  if (type == MPI_LONG || type == MPI_UNSIGNED_LONG || type == MPI_UNSIGNED_LONG_LONG || type == MPI_COUNT ||
      type == MPI_DOUBLE || type == MPI_INT64_T || type == MPI_UINT64_T || type == MPI_LONG_LONG)
    return 8;
  return 0;
}

/// The live library's data on a variable. Texts go directly to the caller's buffers.
struct text_out {
  char* text = nullptr;
  int* length = nullptr;
};
struct variable {
  int verbosity = 0, bind = 0, scope = 0, pvar_class = 0, readonly = 0, continuous = 0, atomic = 0;
  real<kind::datatype> datatype{};
  real<kind::tool_enum> enumeration{};
};
inline int ask_cvar(int index, text_out name, text_out desc, variable& v) noexcept {
  return tool_below<fn::t_cvar_get_info>(index, name.text, name.length, &v.verbosity, &v.datatype, &v.enumeration,
                                         desc.text, desc.length, &v.bind, &v.scope);
}
inline int ask_pvar(int index, text_out name, text_out desc, variable& v) noexcept {
  return tool_below<fn::t_pvar_get_info>(index, name.text, name.length, &v.verbosity, &v.pvar_class, &v.datatype,
                                         &v.enumeration, desc.text, desc.length, &v.bind, &v.readonly, &v.continuous,
                                         &v.atomic);
}
inline int ask(bool of_pvar, int index, text_out name, text_out desc, variable& v) noexcept {
  return of_pvar ? ask_pvar(index, name, desc, v) : ask_cvar(index, name, desc, v);
}

/// The variable's name, from malloc. out: nullptr without such a variable, or without memory
inline char* name_of_variable(bool of_pvar, int index) noexcept {
  variable v;
  char few[2];
  // with a length of 0, or without a text, only the length is asked for
  int none = 0, length = 1, shorter = sizeof few;
  if (ask(of_pvar, index, {nullptr, &none}, {few, &shorter}, v) != neutral::success) return nullptr;
  length = none + 1;
  char* const name = static_cast<char*>(std::calloc(static_cast<std::size_t>(length), 1));
  shorter = sizeof few;
  if (name != nullptr) ask(of_pvar, index, {name, &length}, {few, &shorter}, v);
  return name;
}

/// The live library's number of a handle's variable. out: neutral error class
inline int find_variable(const descriptor<kind::tool>& d, int* index) noexcept {
  const bool of_pvar = d.form == tool_form::pvar || d.of_pvar;
  return of_pvar ? tool_below<fn::t_pvar_get_index>(d.name, d.pvar_class, index)
                 : tool_below<fn::t_cvar_get_index>(d.name, index);
}

/// Notes the object to which a variable is bound. given: address of the program's handle
template <class K>
inline int note_object(const void* given, descriptor<kind::tool>& d) noexcept {
  app::handle<K> handle;
  std::memcpy(&handle, given, sizeof handle);
  const resolved<K> found = resolve<K>(handle);
  if (!found.ok) return neutral::err_t_invalid_handle;
  d.object = name_of(found);
  return neutral::success;
}
/// Accepts only kinds that the live library knows: groups, info objects and error handlers exist only in the wrapper
/// library.
inline int note_object(const void* given, descriptor<kind::tool>& d) noexcept {
  if (d.bind == neutral::bind_no_object) return neutral::success;
  if (given == nullptr) return neutral::err_t_invalid_handle;
  if (d.bind == neutral::bind_comm) return note_object<kind::comm>(given, d);
  if (d.bind == neutral::bind_datatype) return note_object<kind::datatype>(given, d);
  if (d.bind == neutral::bind_op) return note_object<kind::op>(given, d);
  return neutral::err_t_not_supported;
}
/// The bits of the object's real handle; 0 if the object no longer exists, or there is none.
inline std::uint64_t real_object(const descriptor<kind::tool>& d) noexcept {
  if (d.bind == neutral::bind_comm) return real_of<kind::comm>(d.object).bits();
  if (d.bind == neutral::bind_datatype) return real_of<kind::datatype>(d.object).bits();
  return d.bind == neutral::bind_op ? real_of<kind::op>(d.object).bits() : 0;
}

/// Makes the real handle. count: elements of a value      out: neutral error class
inline int allocate_below(tool_entry& e, int index, int* count) noexcept {
  // The live MPI reads this as its handle type, which has the width of an int or of this.
  std::uint64_t object = real_object(e.what);
  if (e.what.bind != neutral::bind_no_object && object == 0) return neutral::err_t_invalid_handle;
  void* const address = e.what.bind == neutral::bind_no_object ? nullptr : &object;
  if (e.what.form == tool_form::cvar)
    return change_live<kind::cvar>(e, [=](auto* made) {
      return tool_below<fn::t_cvar_handle_alloc>(index, address, made, count); });
  return change_live<kind::pvar>(e, [=, s = live<kind::pvar_session>(*e.what.session)](auto* made) {
    return tool_below<fn::t_pvar_handle_alloc>(s, index, address, made, count); });
}

/// Makes the real session of an entry. out: neutral error class
inline int create_session_below(tool_entry& e) noexcept {
  return change_live<kind::pvar_session>(e, [](auto* made) { return tool_below<fn::t_pvar_session_create>(made); });
}

/// Ends the real handle, if there is one. out: neutral error class
inline int free_below(tool_entry& e) noexcept {
  if (!e.real) return neutral::success;
  if (e.what.form == tool_form::cvar)
    return change_live<kind::cvar>(e, [](auto* handle) { return tool_below<fn::t_cvar_handle_free>(handle); });
  if (e.what.form == tool_form::session)
    return change_live<kind::pvar_session>(e, [](auto* handle) { return tool_below<fn::t_pvar_session_free>(handle); });
  return change_live<kind::pvar>(e, [s = live<kind::pvar_session>(*e.what.session)](auto* handle) {
    return tool_below<fn::t_pvar_handle_free>(s, handle); });
}

/// A handle for variable `index`. out: neutral error class; *made
inline int allocate_handle(tool_form form, tool_entry* session, int index, const void* object, tool_entry** made,
                           int* count) noexcept {
  const bool of_pvar = form == tool_form::pvar;
  variable v;
  if (const int rc = ask(of_pvar, index, {}, {}, v); rc != neutral::success) return rc;
  tool_entry* const e = vid::table<kind::tool>().insert_entry();
  if (e == nullptr) return neutral::err_t_out_of_handles;
  descriptor<kind::tool>& d = e->what;
  d.form = form;
  d.session = session;
  d.pvar_class = v.pvar_class;
  d.bind = v.bind;
  d.name = name_of_variable(of_pvar, index);
  int rc = d.name != nullptr ? note_object(object, d) : int{neutral::err_t_memory};
  if (rc == neutral::success) rc = allocate_below(*e, index, count);
  if (rc != neutral::success) {
    vid::table<kind::tool>().erase(*e);
    return rc;
  }
  d.value_bytes = of_pvar ? 0 : *count * element_bytes(datatype_code(v.datatype));
  *made = e;
  return neutral::success;
}

/// The virtual handle of an enumeration from get_info. Enumerations are never freed, so each has only one handle.
/// out: neutral error class; *out unless that is null
inline int give_enumeration(real<kind::tool_enum> given, bool of_pvar, int index, int pvar_class,
                            MPI_T_enum* out) noexcept {
  if (out == nullptr) return neutral::success;
  *out = MPI_T_ENUM_NULL;
  if (!given) return neutral::success;
  tool_entry* found = nullptr;
  for_each_tool(tool_form::enumeration, [&](tool_entry& e) { if (live<kind::tool_enum>(e) == given) found = &e; });
  if (found == nullptr && (found = vid::table<kind::tool>().insert_entry()) != nullptr) {
    found->what.form = tool_form::enumeration;
    found->what.of_pvar = of_pvar;
    found->what.pvar_class = pvar_class;
    found->what.name = name_of_variable(of_pvar, index);
    found->real = real<kind::tool>(given.bits());
  }
  if (found == nullptr) return neutral::err_t_out_of_handles;
  *out = tool_handle<MPI_T_enum>(*found);
  return neutral::success;
}

/// At a restart. Handles get variables of the live library, by name. Control variables that the program wrote are
/// written again. Performance variables that it started are started; they count from the new library's value. Any
/// thread may be parked inside malloc, so this allocates nothing.
inline void rebuild_tool(tool_entry& e) noexcept {
  e.real = {};
  int index = 0, count = 0;
  variable v;
  const descriptor<kind::tool>& d = e.what;
  if (d.form == tool_form::pvar && !d.session->real) return;
  if (d.name == nullptr || find_variable(d, &index) != neutral::success) return;
  if (ask(d.form == tool_form::pvar || d.of_pvar, index, {}, {}, v) != neutral::success) return;
  if (d.form == tool_form::enumeration) { e.real = real<kind::tool>(v.enumeration.bits()); return; }
  if (v.bind != d.bind || allocate_below(e, index, &count) != neutral::success) { e.real = {}; return; }
  if (d.written && count * element_bytes(datatype_code(v.datatype)) == d.value_bytes)
    tool_below<fn::t_cvar_write>(live<kind::cvar>(e), static_cast<const void*>(d.value));
  if (d.started) tool_below<fn::t_pvar_start>(live<kind::pvar_session>(*d.session), live<kind::pvar>(e));
}
inline void rebuild_tools() noexcept {
  if (!tools().below) return;
  ++tools().restarts;
  int level = 0;
  tool_below<fn::t_init_thread>(tools().level, &level);
  for_each_tool(tool_form::session, [](tool_entry& e) {
    if (create_session_below(e) != neutral::success) e.real = {};
  });
  for (const tool_form form : {tool_form::enumeration, tool_form::cvar, tool_form::pvar})
    for_each_tool(form, rebuild_tool);
}

}  // namespace mana::object
