// The fields of a status by function (MPI-4.1, 3.2.5). A status is the program's own memory, in the form of its mpi.h.
#pragma once
#include <mana/object/errhandler/calls.hpp>

namespace mana::library {

inline bool is_ignored(const MPI_Status* status) noexcept {
  return status == nullptr || status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE;
}

/// use(): reads or writes a field
template <class Fn, class Use>
inline int with_status(const MPI_Status* status, Use&& use) noexcept {
  if (is_ignored(status)) return object::fail(Fn::id, neutral::err_arg, "an ignored status");
  use();
  return MPI_SUCCESS;
}

}  // namespace mana::library

namespace mana::manual {

inline int status_get_error(const MPI_Status* s, int* error) noexcept {
  return library::with_status<fn::status_get_error>(s, [=] { *error = s->MPI_ERROR; });
}
inline int status_get_source(const MPI_Status* s, int* source) noexcept {
  return library::with_status<fn::status_get_source>(s, [=] { *source = s->MPI_SOURCE; });
}
inline int status_get_tag(const MPI_Status* s, int* tag) noexcept {
  return library::with_status<fn::status_get_tag>(s, [=] { *tag = s->MPI_TAG; });
}
inline int status_set_error(MPI_Status* s, int error) noexcept {
  return library::with_status<fn::status_set_error>(s, [=] { s->MPI_ERROR = error; });
}
inline int status_set_source(MPI_Status* s, int source) noexcept {
  return library::with_status<fn::status_set_source>(s, [=] { s->MPI_SOURCE = source; });
}
inline int status_set_tag(MPI_Status* s, int tag) noexcept {
  return library::with_status<fn::status_set_tag>(s, [=] { s->MPI_TAG = tag; });
}

}  // namespace mana::manual
