// Names of communicators and datatypes.
#pragma once
#include <mana/object/datatype/calls/build.hpp>

#include <cstdio>

namespace mana::library {

/// in: text  char[MPI_MAX_OBJECT_NAME]
inline int give_name(const char* name, char* text, int* length) noexcept {
  *length = std::snprintf(text, MPI_MAX_OBJECT_NAME, "%s", name);
  if (*length >= MPI_MAX_OBJECT_NAME) *length = MPI_MAX_OBJECT_NAME - 1;
  return MPI_SUCCESS;
}

}  // namespace mana::library

namespace mana::manual {

/// Cuts longer names, as MPI allows.
inline int comm_set_name(MPI_Comm comm, const char* name) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, fn::comm_set_name::id, neutral::err_comm, nullptr);
  if (name == nullptr) return raise(comm, fn::comm_set_name::id, neutral::err_arg, "null pointer");
  static_assert(MPI_MAX_OBJECT_NAME <= object::max_name);
  std::snprintf(c.e->what.name, MPI_MAX_OBJECT_NAME, "%s", name);
  return MPI_SUCCESS;
}
/// MPI_COMM_NULL has its own name (MPI-4.1 7.8).
inline int comm_get_name(MPI_Comm comm, char* name, int* length) noexcept {
  if (comm == MPI_COMM_NULL) return library::give_name("MPI_COMM_NULL", name, length);
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, fn::comm_get_name::id, neutral::err_comm, nullptr);
  return library::give_name(c.e->what.name, name, length);
}

inline int type_set_name(MPI_Datatype type, const char* name) noexcept {
  const resolved<kind::datatype> t = object::resolve_type(type);
  if (!t.ok) return object::fail_type(fn::type_set_name::id);
  if (name == nullptr) return object::fail(fn::type_set_name::id, neutral::err_arg, "null pointer");
  char* const copy = strndup(name, MPI_MAX_OBJECT_NAME - 1);
  if (copy == nullptr) return object::fail(fn::type_set_name::id, neutral::err_no_mem, nullptr);
  char*& held = t.e != nullptr ? t.e->what.name : object::predefined(t.predefined_code).name;
  std::free(held);
  held = copy;
  return MPI_SUCCESS;
}
/// Predefined datatypes, and MPI_DATATYPE_NULL, have their names from mpi.h.
inline int type_get_name(MPI_Datatype type, char* name, int* length) noexcept {
  if (type == MPI_DATATYPE_NULL) return library::give_name("MPI_DATATYPE_NULL", name, length);
  const resolved<kind::datatype> t = object::resolve_type(type);
  if (!t.ok) return object::fail_type(fn::type_get_name::id);
  return library::give_name(object::name_of_type(t), name, length);
}

}  // namespace mana::manual
