// Unpacks the bytes of a drained message into the program's buffer by a message to oneself. So partial elements,
// truncation and the status are what this MPI would have made of the real message.
#include <runtime/lower/own_state.hpp>
#include <runtime/lower/packed_span.hpp>
#include <runtime/lower/real_mpi.hpp>
#include <runtime/lower/start_operation.hpp>

#include <algorithm>
#include <atomic>

namespace mana::real_mpi {

namespace {

/// Threads may deliver at the same time: each message has its own tag among those under way.
int next_tag() noexcept {
  static std::atomic<unsigned> counter{0};
  return static_cast<int>(counter.fetch_add(1, std::memory_order_relaxed) & 0x7fff);
}

/// Sends `size` bytes to oneself into a buffer that has room for them.
int lay_out(const void* bytes, std::int64_t size, void* buffer, std::int64_t count, MPI_Datatype type,
            MPI_Status* status) {
  const int tag = next_tag();
  MPI_Request into = MPI_REQUEST_NULL, from = MPI_REQUEST_NULL;
  int rc = start_recv(buffer, count, type, 0, tag, own().self, &into);
  if (rc != MPI_SUCCESS) return rc;
  const packed_span span(size);
  rc = PMPI_Isend(bytes, span.count(), span.type(), 0, tag, own().self, &from);
  if (rc != MPI_SUCCESS) {
    // Nothing will match the receive. Cancel it, or it would write into a buffer that the caller reuses.
    PMPI_Cancel(&into);
    PMPI_Wait(&into, MPI_STATUS_IGNORE);
    return rc;
  }
  rc = PMPI_Wait(&into, status);
  const int sent = PMPI_Wait(&from, MPI_STATUS_IGNORE);
  return rc == MPI_SUCCESS ? sent : rc;
}

}  // namespace

/// Detects truncation itself, because Open MPI 4.1 does not report it for small messages to oneself. The part that fits
/// is unpacked, as in both MPIs.
int deliver(const void* bytes, std::int64_t size, void* buffer, std::int64_t count, real<kind::datatype> datatype,
            neutral::status* status) {
  const MPI_Datatype type = to_mpi(datatype);
  MPI_Count element = 0;
  int rc = count == 0 ? MPI_SUCCESS : PMPI_Type_size_x(type, &element);   // MPICH accepts a null type only with count 0
  if (rc != MPI_SUCCESS) return neutral_error(rc);
  // Divides instead of multiplying: the product of a large count and a large type may overflow.
  const std::int64_t room = element == 0 ? 0 : count > size / element ? size : count * element;
  MPI_Status real{};
  rc = lay_out(bytes, std::min(size, room), buffer, count, type, &real);
  int error = rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc);
  if (error == neutral::success && size > room) error = neutral::err_truncate;
  set_status(status, real, error);
  return error;
}

}  // namespace mana::real_mpi
