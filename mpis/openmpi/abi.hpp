// Facts of Open MPI's mpi.h for the compiler, for both sides: the program's MPI and the live one.
#pragma once
#include <mana/mpis/openmpi/fortran_numbers.hpp>

#include <mpi.h>

#include <mpi-ext.h>   // its extensions

#include <cstdint>
#include <cstdio>

namespace mana::family {

/// Whether the bits of a handle are a number, which is its number in Fortran too; false: an address.
inline constexpr bool handles_are_numbers = false;

/// Whether the live MPI alone knows what is in a status.
inline constexpr bool status_is_opaque = false;

inline std::int64_t count_of(const MPI_Status& status) noexcept { return static_cast<std::int64_t>(status._ucount); }
inline int cancelled_of(const MPI_Status& status) noexcept { return status._cancelled; }
inline void set_count(MPI_Status& status, std::int64_t bytes, int cancelled) noexcept {
  status._ucount = static_cast<std::size_t>(bytes);
  status._cancelled = cancelled;
}

/// Passes error handlers beside the standard's to row(code, handle). The C++ library's is no handle of mpi.h's:
/// cxx.cpp.
template <class Row>
void for_each_own_errhandler(Row&&) {}

/// Writes the beginning of MPI_Get_library_version's text, where programs look for the MPI's name.     out: its length
inline int write_library_version(char* text) noexcept {
  return std::snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "Open MPI v%d.%d.%d, under MANA", OMPI_MAJOR_VERSION,
                       OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION);
}

/// OMPI_Affinity_str of the live library.      out: false: it was built without the function; rc: its result
inline bool affinity_text([[maybe_unused]] int format, [[maybe_unused]] char* bound, [[maybe_unused]] char* current,
                          [[maybe_unused]] char* exists, [[maybe_unused]] int& rc) noexcept {
#if defined(OMPI_HAVE_MPI_EXT_AFFINITY)
  rc = OMPI_Affinity_str(static_cast<ompi_affinity_fmt_t>(format), bound, current, exists);
  return true;
#else
  return false;
#endif
}

}  // namespace mana::family
