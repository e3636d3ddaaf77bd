// Facts of MPICH's mpi.h for the compiler, for both sides: the program's MPI and the live one.
#pragma once
#include <mana/lower/neutral.hpp>

#include <mpi.h>

#include <cstdint>
#include <cstdio>

namespace mana::family {

/// Whether the bits of a handle are a number, which is its number in Fortran too; false: an address.
inline constexpr bool handles_are_numbers = true;

/// Whether the live MPI alone knows what is in a status.
inline constexpr bool status_is_opaque = false;

/// 63 bits of count in two words. The lowest bit of the upper word means "cancelled".
inline std::int64_t count_of(const MPI_Status& status) noexcept {
  const std::uint64_t high = static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1;
  return static_cast<std::int64_t>(high << 32 | static_cast<std::uint32_t>(status.count_lo));
}
inline int cancelled_of(const MPI_Status& status) noexcept { return status.count_hi_and_cancelled & 1; }
inline void set_count(MPI_Status& status, std::int64_t bytes, int cancelled) noexcept {
  status.count_lo = static_cast<int>(bytes);
  status.count_hi_and_cancelled = static_cast<int>((bytes >> 32) * 2) | cancelled;
}

/// Passes error handlers beside the standard's to row(code, handle). The C++ library throws when C's function has
/// returned.
template <class Row>
void for_each_own_errhandler([[maybe_unused]] Row&& row) {
#ifdef MPIR_ERRORS_THROW_EXCEPTIONS
  row(neutral::errors_throw, MPIR_ERRORS_THROW_EXCEPTIONS);
#endif
}

/// Writes the beginning of MPI_Get_library_version's text, where programs look for the MPI's name.     out: its length
inline int write_library_version(char* text) noexcept {
  return std::snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "MPICH Version:\t%s\nunder MANA", MPICH_VERSION);
}

/// OMPI_Affinity_str is Open MPI's.      out: false: not in this MPI
inline bool affinity_text(int, char*, char*, char*, int&) noexcept { return false; }

}  // namespace mana::family
