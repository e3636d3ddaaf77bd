// Handles as numbers for any use (MPI-5.0, 20.3.6): Fortran's numbers are such.
#pragma once
#include <mana/call/declared.hpp>
#include <mana/library/fortran.hpp>

namespace mana::manual {

#define MANA_AS_INT(name, handle)                                                    \
  inline int name##_toint(handle h) noexcept { return name##_c2f(h); }               \
  inline handle name##_fromint(int n) noexcept { return name##_f2c(n); }
MANA_AS_INT(comm, MPI_Comm)
MANA_AS_INT(errhandler, MPI_Errhandler)
MANA_AS_INT(file, MPI_File)
MANA_AS_INT(group, MPI_Group)
MANA_AS_INT(info, MPI_Info)
MANA_AS_INT(message, MPI_Message)
MANA_AS_INT(op, MPI_Op)
MANA_AS_INT(request, MPI_Request)
MANA_AS_INT(type, MPI_Datatype)
MANA_AS_INT(win, MPI_Win)
#if defined(MANA_DECLARES_MPI_Session_init)
MANA_AS_INT(session, MPI_Session)
#endif
#undef MANA_AS_INT

}  // namespace mana::manual
