// Facts of the standard ABI's mpi.h for the compiler, for both sides: the program's MPI and the live one.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace mana::family {

/// Whether the bits of a handle are a number, which is its number in Fortran too; false: an address.
inline constexpr bool handles_are_numbers = true;

/// Whether the live MPI alone knows what is in a status. The program's statuses are the wrapper library's to lay out.
inline constexpr bool status_is_opaque = true;

inline std::int64_t count_of(const MPI_Status& status) noexcept {
  std::int64_t bytes = 0;
  std::memcpy(&bytes, status.MPI_internal, sizeof bytes);
  return bytes;
}
inline int cancelled_of(const MPI_Status& status) noexcept { return status.MPI_internal[2]; }
inline void set_count(MPI_Status& status, std::int64_t bytes, int cancelled) noexcept {
  std::memcpy(status.MPI_internal, &bytes, sizeof bytes);
  status.MPI_internal[2] = cancelled;
}

/// Passes error handlers beside the standard's to row(code, handle). There are none.
template <class Row>
void for_each_own_errhandler(Row&&) {}

/// Writes the beginning of MPI_Get_library_version's text.     out: its length
inline int write_library_version(char* text) noexcept {
  return std::snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "MPI standard ABI v%d.%d, under MANA", MPI_ABI_VERSION,
                       MPI_ABI_SUBVERSION);
}

/// OMPI_Affinity_str is Open MPI's.      out: false: not in this MPI
inline bool affinity_text(int, char*, char*, char*, int&) noexcept { return false; }

}  // namespace mana::family
