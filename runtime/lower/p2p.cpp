// Sends and receives. A blocking one is a non-blocking start and an interruptible wait. It switches into the lower half
// and out of it once, however long the wait.
#include <runtime/lower/poll.hpp>
#include <runtime/lower/real_mpi.hpp>
#include <runtime/lower/start_operation.hpp>

namespace mana::real_mpi {

namespace {

/// Waits for one request.
/// out: *left: none if it is complete, with *status set; else the request, and a checkpoint is pending
/// errors: those of the operation
int finish(MPI_Request request, neutral::status* status, real<kind::request>* left) {
  MPI_Status real{};
  int flag = 0;
  int rc = MPI_SUCCESS;
  // An error ends the operation too, and its request no longer exists.
  const bool done = poll_until([&] {
    rc = PMPI_Test(&request, &flag, status == nullptr ? MPI_STATUS_IGNORE : &real);
    return flag != 0 || rc != MPI_SUCCESS;
  });
  *left = {};
  if (!done) return give_request(MPI_SUCCESS, request, left);
  const int error = rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc);
  if (status != nullptr) set_status(status, real, error);
  return error;
}

}  // namespace

int send(send_mode mode, const void* buffer, std::int64_t count, real<kind::datatype> datatype, int dest, int tag,
         real<kind::comm> comm, real<kind::request>* request) {
  MPI_Request started = MPI_REQUEST_NULL;
  const int rc = start_send(mode, buffer, count, to_mpi(datatype), real_rank(dest), tag,
                            to_mpi(comm), &started);
  if (rc != MPI_SUCCESS) return give_request(rc, MPI_REQUEST_NULL, request);
  return finish(started, nullptr, request);
}

int recv(void* buffer, std::int64_t count, real<kind::datatype> datatype, int source, int tag, real<kind::comm> comm,
         neutral::status* status, real<kind::request>* request) {
  if (source == neutral::proc_null) {
    *request = {};
    if (status != nullptr) *status = null_receive_status;
    return neutral::success;
  }
  MPI_Request started = MPI_REQUEST_NULL;
  const neutral::envelope from = real_envelope(source, tag);
  const int rc = start_recv(buffer, count, to_mpi(datatype), from.rank, from.tag,
                            to_mpi(comm), &started);
  if (rc != MPI_SUCCESS) return give_request(rc, MPI_REQUEST_NULL, request);
  return finish(started, status, request);
}

int isend(send_mode mode, const void* buffer, std::int64_t count, real<kind::datatype> datatype, int dest, int tag,
          real<kind::comm> comm, real<kind::request>* request) {
  MPI_Request started = MPI_REQUEST_NULL;
  const int rc = start_send(mode, buffer, count, to_mpi(datatype), real_rank(dest), tag,
                            to_mpi(comm), &started);
  return give_request(rc, started, request);
}

int irecv(void* buffer, std::int64_t count, real<kind::datatype> datatype, int source, int tag, real<kind::comm> comm,
          real<kind::request>* request) {
  if (source == neutral::proc_null) {
    *request = null_receive;
    return neutral::success;
  }
  MPI_Request started = MPI_REQUEST_NULL;
  const neutral::envelope from = real_envelope(source, tag);
  const int rc = start_recv(buffer, count, to_mpi(datatype), from.rank, from.tag,
                            to_mpi(comm), &started);
  return give_request(rc, started, request);
}

}  // namespace mana::real_mpi
