// Lays the packed bytes of a drained message out in the application's buffer: a message to oneself, so that partial
// elements, truncation and the status are exactly what this MPI would have made of the real one.
#include "own_state.hpp"
#include "packed_span.hpp"
#include "real_mpi.hpp"
#include "start_operation.hpp"

#include <atomic>

namespace mana::real_mpi {

namespace {

/// Threads may deliver at the same time; each message has a tag of its own among those that can be under way.
int next_tag() noexcept {
  static std::atomic<unsigned> counter{0};
  return static_cast<int>(counter.fetch_add(1, std::memory_order_relaxed) & 0x7fff);
}

}  // namespace

int deliver(const void* bytes, std::int64_t size, void* buffer, std::int64_t count, std::uint64_t datatype,
            neutral::status* status) {
  const int tag = next_tag();
  MPI_Request into = MPI_REQUEST_NULL, from = MPI_REQUEST_NULL;
  int rc = start_recv(buffer, count, to_real<kind::datatype>(datatype), 0, tag, own().self, &into);
  if (rc != MPI_SUCCESS) return neutral_error(rc);
  const packed_span span(size);
  const int sent = PMPI_Isend(bytes, span.count(), span.type(), 0, tag, own().self, &from);
  if (sent != MPI_SUCCESS) {
    // Nothing will match the receive: take it back, or it would write into a buffer that the caller reuses.
    PMPI_Cancel(&into);
    PMPI_Wait(&into, MPI_STATUS_IGNORE);
    return neutral_error(sent);
  }
  MPI_Status real{};
  rc = PMPI_Wait(&into, &real);
  // A truncated message is an error of the receive alone; some MPIs report it at the send too.
  PMPI_Wait(&from, MPI_STATUS_IGNORE);
  const int error = rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc);
  set_status(status, real, error);
  return error;
}

}  // namespace mana::real_mpi
