// Starts one send or receive with a 64-bit count.
#pragma once
#include <runtime/lower/convert.hpp>

#include <mana/lower/abi.hpp>

#include <mana/gen/declared.hpp>

namespace mana::real_mpi {

/// If this MPI has no large-count functions, a count beyond INT_MAX is the caller's error MPI_ERR_COUNT.
#if defined(MANA_DECLARES_MPI_Isend_c)
inline constexpr bool has_large_counts = true;
#else
inline constexpr bool has_large_counts = false;
#endif

/// in: dest, tag: as in this MPI's mpi.h. out: the MPI's own error code
int start_send(lower::send_mode mode, const void* buffer, std::int64_t count, MPI_Datatype type, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) noexcept;
int start_recv(void* buffer, std::int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request* request) noexcept;

}  // namespace mana::real_mpi
