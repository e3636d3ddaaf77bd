// Conversions between C and Fortran handles and statuses.
#pragma once
#include <mana/app/fortran_index.hpp>
#include <mana/call/declared.hpp>
#include <mana/object/errhandler/calls.hpp>

namespace mana::manual {

inline MPI_Fint comm_c2f(MPI_Comm h) noexcept { return app::to_fortran<kind::comm>(h); }
inline MPI_Comm comm_f2c(MPI_Fint n) noexcept { return app::from_fortran<kind::comm>(n); }
inline MPI_Fint type_c2f(MPI_Datatype h) noexcept { return app::to_fortran<kind::datatype>(h); }
inline MPI_Datatype type_f2c(MPI_Fint n) noexcept { return app::from_fortran<kind::datatype>(n); }
inline MPI_Fint group_c2f(MPI_Group h) noexcept { return app::to_fortran<kind::group>(h); }
inline MPI_Group group_f2c(MPI_Fint n) noexcept { return app::from_fortran<kind::group>(n); }
inline MPI_Fint info_c2f(MPI_Info h) noexcept { return app::to_fortran<kind::info>(h); }
inline MPI_Info info_f2c(MPI_Fint n) noexcept { return app::from_fortran<kind::info>(n); }
inline MPI_Fint request_c2f(MPI_Request h) noexcept { return app::to_fortran<kind::request>(h); }
inline MPI_Request request_f2c(MPI_Fint n) noexcept { return app::from_fortran<kind::request>(n); }
inline MPI_Fint op_c2f(MPI_Op h) noexcept { return app::to_fortran<kind::op>(h); }
inline MPI_Op op_f2c(MPI_Fint n) noexcept { return app::from_fortran<kind::op>(n); }
inline MPI_Fint errhandler_c2f(MPI_Errhandler h) noexcept { return app::to_fortran<kind::errhandler>(h); }
inline MPI_Errhandler errhandler_f2c(MPI_Fint n) noexcept { return app::from_fortran<kind::errhandler>(n); }
inline MPI_Fint message_c2f(MPI_Message h) noexcept { return app::to_fortran<kind::message>(h); }
inline MPI_Message message_f2c(MPI_Fint n) noexcept { return app::from_fortran<kind::message>(n); }

inline MPI_Fint win_c2f(MPI_Win h) noexcept { return app::to_fortran<kind::win>(h); }
inline MPI_Win win_f2c(MPI_Fint n) noexcept { return app::from_fortran<kind::win>(n); }

// The program can make no file, so only the null one has a number.
inline MPI_Fint file_c2f(MPI_File) noexcept { return app::number_of_null(MPI_FILE_NULL); }
inline MPI_File file_f2c(MPI_Fint) noexcept { return MPI_FILE_NULL; }
#if defined(MANA_DECLARES_MPI_Session_init)
inline MPI_Fint session_c2f(MPI_Session h) noexcept { return app::to_fortran<kind::session>(h); }
inline MPI_Session session_f2c(MPI_Fint n) noexcept { return app::from_fortran<kind::session>(n); }
#endif

// Both mpi.h lay a Fortran status out as the C one: whole Fortran integers, in the same order.
static_assert(sizeof(MPI_Status) % sizeof(MPI_Fint) == 0);

inline int status_c2f(const MPI_Status* status, MPI_Fint* out) noexcept {
  if (status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE || out == nullptr)
    return object::fail(fn::status_c2f::id, neutral::err_arg, "an ignored status");
  std::memcpy(out, status, sizeof *status);
  return MPI_SUCCESS;
}
inline int status_f2c(const MPI_Fint* status, MPI_Status* out) noexcept {
  const bool is_ignored = status == nullptr || status == MPI_F_STATUS_IGNORE || status == MPI_F_STATUSES_IGNORE;
  if (is_ignored || out == nullptr) return object::fail(fn::status_f2c::id, neutral::err_arg, "an ignored status");
  std::memcpy(out, status, sizeof *out);
  return MPI_SUCCESS;
}
#if defined(MANA_DECLARES_MPI_Status_c2f08)
static_assert(sizeof(MPI_F08_status) == sizeof(MPI_Status));

/// All forms of a status have the same bytes.
template <class Fn, class From, class To>
inline int copy_status(const From* from, To* to) noexcept {
  if (from == nullptr || to == nullptr) return object::fail(Fn::id, neutral::err_arg, "no status");
  std::memcpy(to, from, sizeof(MPI_F08_status));
  return MPI_SUCCESS;
}
inline int status_c2f08(const MPI_Status* status, MPI_F08_status* out) noexcept {
  return copy_status<fn::status_c2f08>(status, out);
}
inline int status_f082c(const MPI_F08_status* status, MPI_Status* out) noexcept {
  return copy_status<fn::status_f082c>(status, out);
}
inline int status_f2f08(const MPI_Fint* status, MPI_F08_status* out) noexcept {
  return copy_status<fn::status_f2f08>(status, out);
}
inline int status_f082f(const MPI_F08_status* status, MPI_Fint* out) noexcept {
  return copy_status<fn::status_f082f>(status, out);
}
#endif

}  // namespace mana::manual
