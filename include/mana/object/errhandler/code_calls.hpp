// Error classes, codes and their texts.
#pragma once
#include <mana/object/errhandler/calls.hpp>

namespace mana::wrap {

/// True for a class or code that this mpi.h has.
inline bool standard_code(int code) noexcept {
  return code == MPI_SUCCESS || (code > 0 && app::error_code(app::neutral_error(code)) == code);
}

inline int copy_text(const char* from, char* to, int room, int* length) noexcept {
  *length = std::snprintf(to, static_cast<std::size_t>(room), "%s", from);
  if (*length >= room) *length = room - 1;
  return MPI_SUCCESS;
}

}  // namespace mana::wrap

namespace mana::manual {

inline int add_error_class(int* error_class) noexcept {
  if (error_class == nullptr) return wrap::fail(fn::add_error_class::id, neutral::err_arg, "null pointer");
  const std::lock_guard hold(wrap::cold_lock());
  *error_class = wrap::errors().add_class();
  return MPI_SUCCESS;
}
inline int add_error_code(int error_class, int* code) noexcept {
  if (code == nullptr) return wrap::fail(fn::add_error_code::id, neutral::err_arg, "null pointer");
  {
    const std::lock_guard hold(wrap::cold_lock());
    if (wrap::errors().is_class(error_class) || wrap::standard_code(error_class)) {
      *code = wrap::errors().add_code(error_class);
      return MPI_SUCCESS;
    }
  }
  return wrap::fail(fn::add_error_code::id, neutral::err_arg, "no such error class");
}
/// Only texts of added codes can be set.
inline int add_error_string(int code, const char* text) noexcept {
  if (text == nullptr) return wrap::fail(fn::add_error_string::id, neutral::err_arg, "null pointer");
  if (std::strlen(text) >= MPI_MAX_ERROR_STRING)
    return wrap::fail(fn::add_error_string::id, neutral::err_arg, "text longer than MPI_MAX_ERROR_STRING");
  {
    const std::lock_guard hold(wrap::cold_lock());
    if (wrap::errors().added(code)) {
      wrap::errors().set_text(code, text);
      return MPI_SUCCESS;
    }
  }
  return wrap::fail(fn::add_error_string::id, neutral::err_arg, "the code was not added by the program");
}

inline int error_class(int code, int* out) noexcept {
  if (out == nullptr) return wrap::fail(fn::error_class::id, neutral::err_arg, "null pointer");
  {
    const std::lock_guard hold(wrap::cold_lock());
    if (wrap::errors().added(code)) { *out = wrap::errors().class_of(code); return MPI_SUCCESS; }
  }
  if (!wrap::standard_code(code)) return wrap::fail(fn::error_class::id, neutral::err_arg, "no such error code");
  *out = code;                                   // codes are classes here (MPI-4.1 9.4)
  return MPI_SUCCESS;
}
/// in: text  char[MPI_MAX_ERROR_STRING]
inline int error_string(int code, char* text, int* length) noexcept {
  if (text == nullptr || length == nullptr) return wrap::fail(fn::error_string::id, neutral::err_arg, "null pointer");
  {
    const std::lock_guard hold(wrap::cold_lock());
    if (wrap::errors().added(code))
      return wrap::copy_text(wrap::errors().text(code).c_str(), text, MPI_MAX_ERROR_STRING, length);
  }
  if (!wrap::standard_code(code)) return wrap::fail(fn::error_string::id, neutral::err_arg, "no such error code");
  char words[512];
  wrap::class_text(app::neutral_error(code), words);
  if (words[0] == '\0') std::snprintf(words, sizeof words, "%s", wrap::error_class_name(app::neutral_error(code)));
  return wrap::copy_text(words, text, MPI_MAX_ERROR_STRING, length);
}

}  // namespace mana::manual
