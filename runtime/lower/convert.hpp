// Small conversions for the services of this directory. real_abi.hpp has the others.
#pragma once
#include <runtime/lower/real_abi.hpp>

#include <mpi.h>

#include <climits>
#include <cstdint>

namespace mana::real_mpi {

using lower::neutral_error;
using lower::neutral_status;
using lower::real_envelope;
using lower::real_rank;
using lower::real_tag;
using lower::to_neutral;
using lower::to_mpi;

inline bool fits_int(std::int64_t count) noexcept { return count >= INT_MIN && count <= INT_MAX; }

/// Status of an operation with its error class. Also sets fields that MPI leaves undefined on success.
inline void set_status(neutral::status* out, const MPI_Status& status, int error) noexcept {
  if (out == nullptr) return;
  *out = neutral_status(status);
  out->error = error;
}

/// Stands for the request of a receive from MPI_PROC_NULL, which is never started: some MPIs (MPICH 4.0) complete it
/// with the status of a message from rank 0. No MPI uses this value as a handle.
inline constexpr real<kind::request> null_receive(1);

inline constexpr neutral::status null_receive_status{
    .source = neutral::proc_null, .tag = neutral::any_tag, .error = neutral::success, .cancelled = 0, .count_bytes = 0};

/// Stores the handle of a started operation, or none if the start failed.
inline int give_request(int rc, MPI_Request request, real<kind::request>* out) noexcept {
  *out = rc == MPI_SUCCESS ? to_neutral<kind::request>(request) : real<kind::request>{};
  return rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc);
}

}  // namespace mana::real_mpi
