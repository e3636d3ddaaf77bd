// Error handlers. Every error of every wrapper ends in raise(). The live MPI only returns errors. The upper half calls
// the program's handlers, with the program's own handles and codes, when the wrapper has ended.
#pragma once
#include <mana/app/argument.hpp>
#include <mana/app/error_names.hpp>
#include <mana/app/error_space.hpp>
#include <mana/app/fortran_index.hpp>
#include <mana/call/declared.hpp>
#include <mana/call/library.hpp>
#include <mana/call/scope.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/errhandler/descriptor.hpp>
#include <mana/object/errhandler/due_handler.hpp>

#include <mana/gen/function_tags.hpp>

#include <cstdio>
#include <cstring>
#include <type_traits>

namespace mana::object {

using errhandler_entry = vid::entry<kind::errhandler>;

inline errhandler_entry* errhandler_named(std::uint32_t name) noexcept {
  return name < neutral::predefined_limit ? nullptr : vid::table<kind::errhandler>().find(virt<kind::errhandler>(name));
}

/// Adds, or removes, one object or handle that needs the handler. in: name  neutral code or bits of a virtual id
inline void keep_errhandler(std::uint32_t name) noexcept {
  if (errhandler_entry* const e = errhandler_named(name)) __atomic_fetch_add(&e->references, 1, __ATOMIC_RELAXED);
}
inline void release_errhandler(std::uint32_t name) noexcept {
  errhandler_entry* const e = errhandler_named(name);
  if (e != nullptr && __atomic_fetch_sub(&e->references, 1, __ATOMIC_ACQ_REL) == 1)
    vid::table<kind::errhandler>().erase(*e);
}
/// The handler for errors of this communicator.
inline std::uint32_t errhandler_of(const descriptor<kind::comm>& d) noexcept {
  if (d.errhandler == 0 && family::unset_errhandler_is_of_world) return comms().world.what.errhandler;
  return d.errhandler;
}
inline void inherit_errhandler(const descriptor<kind::comm>& from, descriptor<kind::comm>& to) noexcept {
  keep_errhandler(from.errhandler);
  to.errhandler = from.errhandler;
}

/// The live MPI's text for a class; empty if it has none, or does not run. in: text  char[512]
inline void class_text(int neutral_class, char* text) noexcept {
  int length = 0;
  text[0] = '\0';
  if (call::library().live != call::life::initialized) return;
  const lower::services& s = *lower::the_bridge().service;
  if (lower::cross([&] { return s.error_text(neutral_class, text, &length); }) != neutral::success) text[0] = '\0';
}

/// Prints which call failed, why, and on which rank; ends the job with the error as its exit status.
/// in: handler  neutral code of the handler that ends the job
inline void end_with_error(std::uint32_t handler, int app_code, function_id f, const char* detail) noexcept {
  const int error_class = app::errors().added(app_code) ? int{neutral::err_other} : app::neutral_error(app_code);
  char words[512], line[1024];
  class_text(error_class, words);
  if (app::errors().added(app_code)) std::snprintf(words, sizeof words, "%s", app::errors().text(app_code).c_str());
  std::snprintf(line, sizeof line,
                "rank %u: %s failed with %s%s%s%s%s; %s is set, the job is aborted", lower::the_bridge().world_rank,
                function_name(f), app::error_class_name(error_class), words[0] != '\0' ? ": " : "", words,
                detail != nullptr ? ": " : "", detail != nullptr ? detail : "",
                handler == neutral::errors_abort ? "MPI_ERRORS_ABORT" : "MPI_ERRORS_ARE_FATAL");
  const lower::services& s = *lower::the_bridge().service;
  lower::cross([&] { s.note(line); s.abort(error_class); });
}

inline bool ends_the_job(std::uint32_t handler) noexcept {
  return handler == neutral::errors_are_fatal || handler == neutral::errors_abort;
}

inline void say_refused(const char* function, const char* why) noexcept {
  char line[512];
  std::snprintf(line, sizeof line, "rank %u: %s is refused: %s; the program gets an error code",
                lower::the_bridge().world_rank, function, why);
  lower::cross([&] { lower::the_bridge().service->note(line); });
}

/// MPI::ERRORS_THROW_EXCEPTIONS of C++, a handler for objects of every kind. It has its function for each kind, if C's
/// function must call it. Without a function it acts as MPI_ERRORS_RETURN, and C++'s function throws.
struct thrower { void (*function)() = nullptr; handler_proxy by_proxy = nullptr; };
template <class Handle>
inline constinit thrower thrower_for{};

/// Makes the handler of an object run when the wrapper ends. handle: the program's handle of the object
/// out: app_code, unless the handler ends the job
template <class Handle>
inline int run_errhandler(std::uint32_t handler, Handle handle, int app_code, function_id f,
                          const char* detail) noexcept {
  due = {};
  if (handler == neutral::errors_return) return app_code;
  thrower call;
  [[maybe_unused]] bool is_fortran = false;
  if (handler == neutral::errors_throw) call = thrower_for<Handle>;
  else if (const errhandler_entry* const e = errhandler_named(handler)) {
    call = {e->what.function, e->what.by_proxy};
    is_fortran = e->what.is_fortran;
  }
  if (call.function == nullptr && handler == neutral::errors_throw) return app_code;
  if (call.function == nullptr) {
    end_with_error(handler, app_code, f, detail);
    return app_code;
  }
  due.function = call.function;
  due.by_proxy = call.by_proxy;
  due.code = app_code;
  static_assert(sizeof handle <= sizeof due.object);
  std::memcpy(due.object, &handle, sizeof handle);
  if constexpr (std::is_pointer_v<Handle>) {       // otherwise Fortran uses the same numbers
    MPI_Fint number = 0;
    if constexpr (std::is_same_v<Handle, MPI_Comm>) number = app::to_fortran<kind::comm>(handle);
    if constexpr (std::is_same_v<Handle, MPI_Win>) number = app::to_fortran<kind::win>(handle);
    if (is_fortran) std::memcpy(due.object, &number, sizeof number);
  }
  return app_code;
}

}  // namespace mana::object

namespace mana {

/// An error of function f on comm. If comm is null or stale, the error is one on MPI_COMM_WORLD, as for objects without
/// a handler.
/// in: neutral_class  neutral::error_class      detail  the cause, or nullptr
/// out: the error code that the wrapper returns
/// errors: does not return under MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT
inline int raise(MPI_Comm comm, function_id f, int neutral_class, const char* detail) noexcept {
  if (neutral_class == neutral::err_comm && call::library().live == call::life::before_init)
    neutral_class = neutral::err_other, detail = "MPI is not initialized yet";
  const resolved<kind::comm> found = resolve<kind::comm>(comm);
  const std::uint32_t handler = object::errhandler_of((found.ok ? *found.e : object::comms().world).what);
  return object::run_errhandler(handler, found.ok ? comm : MPI_COMM_WORLD, app::error_code(neutral_class), f, detail);
}

namespace object {

/// The same on MPI_COMM_WORLD, for objects without a handler of their own.
inline int fail(function_id f, int neutral_class, const char* detail) noexcept {
  return raise(MPI_COMM_WORLD, f, neutral_class, detail);
}

/// The name of the handler; 0 if it may not be attached to this kind of object.
inline std::uint32_t attachable(MPI_Errhandler handler, kind_code object) noexcept {
  const resolved<kind::errhandler> found = resolve<kind::errhandler>(handler);
  if (!found.ok || found.predefined_code == neutral::errhandler_null) return 0;
  return found.e == nullptr || found.e->what.object == object ? name_of(found) : 0;
}
/// An error of a call that makes a communicator of groups alone: it has no communicator or session, so the handler for the
/// new communicator hears of it.
inline int raise_for_new(MPI_Errhandler handler, function_id f, int neutral_class, const char* detail) noexcept {
  const std::uint32_t name = attachable(handler, kind_code::comm);
  return run_errhandler(name != 0 ? name : std::uint32_t{neutral::errors_are_fatal}, MPI_COMM_NULL,
                        app::error_code(neutral_class), f, detail);
}
inline MPI_Errhandler errhandler_handle(std::uint32_t name) noexcept {
  if (name == 0) return MPI_ERRORS_ARE_FATAL;
  return name < neutral::predefined_limit ? app::predefined_handle<kind::errhandler>(name)
                                          : app::from_virt<kind::errhandler>(virt<kind::errhandler>(name));
}

template <class Fn, class Function>
inline int create_errhandler(kind_code object, Function* function, MPI_Errhandler* out) noexcept {
  if (function == nullptr || out == nullptr) return fail(Fn::id, neutral::err_arg, "null pointer");
  errhandler_entry* const e = vid::table<kind::errhandler>().insert_entry();
  if (e == nullptr) return fail(Fn::id, neutral::err_no_mem, "no free error handler id");
  e->what.object = object;
  e->what.function = reinterpret_cast<void (*)()>(function);
  e->references = 1;                             // the program's handle
  *out = app::from_virt<kind::errhandler>(vid::table<kind::errhandler>().id_of(*e));
  return MPI_SUCCESS;
}

/// Must be called before the handler can be used.
inline void call_errhandler_by(MPI_Errhandler handler, handler_proxy proxy) noexcept {
  const auto e = vid::table<kind::errhandler>().find(app::to_virt<kind::errhandler>(handler));
  if (e != nullptr) e->what.by_proxy = proxy;
}
inline void call_errhandler_in_fortran(MPI_Errhandler handler) noexcept {
  const auto e = vid::table<kind::errhandler>().find(app::to_virt<kind::errhandler>(handler));
  if (e != nullptr) e->what.is_fortran = true;
}

template <class Fn>
inline int set_comm_errhandler(MPI_Comm comm, MPI_Errhandler handler) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, Fn::id, neutral::err_comm, nullptr);
  const std::uint32_t name = attachable(handler, kind_code::comm);
  if (name == 0) return raise(comm, Fn::id, neutral::err_errhandler, "not an error handler for communicators");
  keep_errhandler(name);
  release_errhandler(c.e->what.errhandler);
  c.e->what.errhandler = name;
  return MPI_SUCCESS;
}
template <class Fn>
inline int get_comm_errhandler(MPI_Comm comm, MPI_Errhandler* out) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, Fn::id, neutral::err_comm, nullptr);
  keep_errhandler(c.e->what.errhandler);         // the program frees the handle that it gets
  *out = errhandler_handle(c.e->what.errhandler);
  return MPI_SUCCESS;
}

/// Handler of files that are not open (MPI_FILE_NULL), which MPI lets programs change. Neutral code or bits of a
/// virtual id.
inline std::uint32_t& default_file_errhandler() noexcept {
  static std::uint32_t handler = neutral::errors_return;
  return handler;
}

}  // namespace object
}  // namespace mana

namespace mana::manual {

inline int comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* out) noexcept {
  return object::create_errhandler<fn::comm_create_errhandler>(kind_code::comm, function, out);
}
inline int errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* out) noexcept {
  return object::create_errhandler<fn::errhandler_create>(kind_code::comm, function, out);
}
inline int comm_set_errhandler(MPI_Comm comm, MPI_Errhandler h) noexcept {
  return object::set_comm_errhandler<fn::comm_set_errhandler>(comm, h);
}
inline int errhandler_set(MPI_Comm comm, MPI_Errhandler h) noexcept {
  return object::set_comm_errhandler<fn::errhandler_set>(comm, h);
}
inline int comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* h) noexcept {
  return object::get_comm_errhandler<fn::comm_get_errhandler>(comm, h);
}
inline int errhandler_get(MPI_Comm comm, MPI_Errhandler* h) noexcept {
  return object::get_comm_errhandler<fn::errhandler_get>(comm, h);
}

/// Takes any code, of this mpi.h or added by the program. Returns MPI_SUCCESS if the handler returns.
inline int comm_call_errhandler(MPI_Comm comm, int code) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, fn::comm_call_errhandler::id, neutral::err_comm, nullptr);
  object::run_errhandler(object::errhandler_of(c.e->what), comm, code, fn::comm_call_errhandler::id,
                         "called by the application");
  return object::succeeds_after_handler;
}

/// Predefined handlers may be freed too: MPI_Comm_get_errhandler returns them.
inline int errhandler_free(MPI_Errhandler* handler) noexcept {
  const resolved<kind::errhandler> found =
      handler != nullptr ? resolve<kind::errhandler>(*handler) : resolved<kind::errhandler>{};
  if (!found.ok || found.predefined_code == neutral::errhandler_null)
    return object::fail(fn::errhandler_free::id, neutral::err_errhandler, "null, stale or foreign error handler");
  object::release_errhandler(name_of(found));
  *handler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

inline int file_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* out) noexcept {
  return object::create_errhandler<fn::file_create_errhandler>(kind_code::file, function, out);
}
/// MPI_FILE_NULL is the only file. Its handler is the one of files that will be opened.
inline int file_set_errhandler(MPI_File file, MPI_Errhandler handler) noexcept {
  if (file != MPI_FILE_NULL) return object::fail(fn::file_set_errhandler::id, neutral::err_file, "no such file");
  const std::uint32_t name = object::attachable(handler, kind_code::file);
  if (name == 0)
    return object::fail(fn::file_set_errhandler::id, neutral::err_errhandler, "not an error handler for files");
  object::keep_errhandler(name);
  object::release_errhandler(object::default_file_errhandler());
  object::default_file_errhandler() = name;
  return MPI_SUCCESS;
}
inline int file_get_errhandler(MPI_File file, MPI_Errhandler* out) noexcept {
  if (file != MPI_FILE_NULL) return object::fail(fn::file_get_errhandler::id, neutral::err_file, "no such file");
  object::keep_errhandler(object::default_file_errhandler());
  *out = object::errhandler_handle(object::default_file_errhandler());
  return MPI_SUCCESS;
}
inline int file_call_errhandler(MPI_File file, int code) noexcept {
  if (file != MPI_FILE_NULL) return object::fail(fn::file_call_errhandler::id, neutral::err_file, "no such file");
  object::run_errhandler(object::default_file_errhandler(), file, code, fn::file_call_errhandler::id,
                       "called by the application");
  return object::succeeds_after_handler;
}

inline int win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* out) noexcept {
  return object::create_errhandler<fn::win_create_errhandler>(kind_code::win, function, out);
}
#if defined(MANA_DECLARES_MPI_Session_init)
inline int session_create_errhandler(MPI_Session_errhandler_function* function, MPI_Errhandler* out) noexcept {
  return object::create_errhandler<fn::session_create_errhandler>(kind_code::session, function, out);
}
#endif

}  // namespace mana::manual
