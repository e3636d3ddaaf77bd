// Error classes, codes and their texts.
#pragma once
#include <mana/object/errhandler/calls.hpp>

namespace mana::object {

/// True for a class or code that this mpi.h has. MPI_ERR_LASTCODE is one, although no call returns it.
inline bool standard_code(int code) noexcept {
  return code == MPI_SUCCESS || code == MPI_ERR_LASTCODE ||
         (code > 0 && app::error_code(app::neutral_error(code)) == code);
}

inline int copy_text(const char* from, char* to, int room, int* length) noexcept {
  *length = std::snprintf(to, static_cast<std::size_t>(room), "%s", from);
  if (*length >= room) *length = room - 1;
  return MPI_SUCCESS;
}

/// Copies the text that an earlier MPI_Error_string gave for a standard class.
/// in: text  char[512]      out: whether there was an earlier one
inline bool told_text(int neutral_class, char* text) noexcept {
  const std::lock_guard hold(app::cold_lock());
  const std::string* const told = app::errors().told(neutral_class);
  if (told == nullptr) return false;
  std::snprintf(text, 512, "%s", told->c_str());
  return true;
}
inline void keep_text(int neutral_class, const char* text) noexcept {
  const std::lock_guard hold(app::cold_lock());
  app::errors().keep_told(neutral_class, text);
}

}  // namespace mana::object

namespace mana::manual {

inline int add_error_class(int* error_class) noexcept {
  if (error_class == nullptr) return object::fail(fn::add_error_class::id, neutral::err_arg, "null pointer");
  const std::lock_guard hold(app::cold_lock());
  *error_class = app::errors().add_class();
  return MPI_SUCCESS;
}
inline int add_error_code(int error_class, int* code) noexcept {
  if (code == nullptr) return object::fail(fn::add_error_code::id, neutral::err_arg, "null pointer");
  {
    const std::lock_guard hold(app::cold_lock());
    if (app::errors().is_class(error_class) || object::standard_code(error_class)) {
      *code = app::errors().add_code(error_class);
      return MPI_SUCCESS;
    }
  }
  return object::fail(fn::add_error_code::id, neutral::err_arg, "no such error class");
}
/// Only texts of added codes can be set.
inline int add_error_string(int code, const char* text) noexcept {
  if (text == nullptr) return object::fail(fn::add_error_string::id, neutral::err_arg, "null pointer");
  if (std::strlen(text) >= MPI_MAX_ERROR_STRING)
    return object::fail(fn::add_error_string::id, neutral::err_arg, "text longer than MPI_MAX_ERROR_STRING");
  {
    const std::lock_guard hold(app::cold_lock());
    if (app::errors().added(code)) {
      app::errors().set_text(code, text);
      return MPI_SUCCESS;
    }
  }
  return object::fail(fn::add_error_string::id, neutral::err_arg, "the code was not added by the program");
}

inline int error_class(int code, int* out) noexcept {
  if (out == nullptr) return object::fail(fn::error_class::id, neutral::err_arg, "null pointer");
  {
    const std::lock_guard hold(app::cold_lock());
    if (app::errors().added(code)) { *out = app::errors().class_of(code); return MPI_SUCCESS; }
  }
  if (!object::standard_code(code)) return object::fail(fn::error_class::id, neutral::err_arg, "no such error code");
  *out = code;                                   // each code is its own class here (MPI-4.1 9.4)
  return MPI_SUCCESS;
}
/// in: text  char[MPI_MAX_ERROR_STRING]
inline int error_string(int code, char* text, int* length) noexcept {
  if (text == nullptr || length == nullptr) return object::fail(fn::error_string::id, neutral::err_arg, "null pointer");
  {
    const std::lock_guard hold(app::cold_lock());
    if (app::errors().added(code))
      return object::copy_text(app::errors().text(code).c_str(), text, MPI_MAX_ERROR_STRING, length);
  }
  if (!object::standard_code(code)) return object::fail(fn::error_string::id, neutral::err_arg, "no such error code");
  const int error_class = app::neutral_error(code);
  char words[512];
  if (!object::told_text(error_class, words)) {
    object::class_text(error_class, words);
    if (words[0] != '\0') object::keep_text(error_class, words);
    else std::snprintf(words, sizeof words, "%s", app::error_class_name(error_class));
  }
  return object::copy_text(words, text, MPI_MAX_ERROR_STRING, length);
}

}  // namespace mana::manual
