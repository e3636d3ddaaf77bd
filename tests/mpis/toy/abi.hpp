// What the compiler must know of the toy's mpi.h.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <cstdio>

namespace mana::family {

/// Whether the bits of a handle are a number, which is its number in Fortran too; false: an address.
inline constexpr bool handles_are_numbers = false;

/// Whether the live MPI alone knows what is in a status.
inline constexpr bool status_is_opaque = false;

inline std::int64_t count_of(const MPI_Status& status) noexcept { return status.toy_bytes; }
inline int cancelled_of(const MPI_Status& status) noexcept { return status.toy_cancelled; }
inline void set_count(MPI_Status& status, std::int64_t bytes, int cancelled) noexcept {
  status.toy_bytes = bytes;
  status.toy_cancelled = cancelled;
}
template <class Row>
void for_each_own_errhandler(Row&&) {}
inline int write_library_version(char* text) noexcept {
  return std::snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "Toy MPI, under MANA");
}
inline bool affinity_text(int, char*, char*, char*, int&) noexcept { return false; }

}  // namespace mana::family
