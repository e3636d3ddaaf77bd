// Probes, and receives of matched messages.
#include <runtime/lower/convert.hpp>
#include <runtime/lower/packed_span.hpp>
#include <runtime/lower/poll.hpp>
#include <runtime/lower/real_mpi.hpp>

#include <mana/gen/declared.hpp>

namespace mana::real_mpi {

namespace {

/// Calls once(&status), which returns an MPI error code and sets *flag. Calls it one time; or, if it blocks, until a
/// message has come, an error occurs, or a checkpoint is pending.
template <class Once>
int look(int block, int* flag, neutral::status* status, Once once) {
  MPI_Status real{};
  int rc = MPI_SUCCESS;
  *flag = 0;
  const auto visit = [&] {
    rc = once(&real);
    return *flag != 0 || rc != MPI_SUCCESS;
  };
  if (block != 0) poll_until(visit);
  else visit();
  if (rc != MPI_SUCCESS) return neutral_error(rc);
  if (*flag != 0) set_status(status, real, neutral::success);
  return neutral::success;
}

}  // namespace

int probe(int source, int tag, real<kind::comm> comm, int block, int* flag, neutral::status* status) {
  const auto [from, with] = real_envelope(source, tag);
  const MPI_Comm on = to_mpi(comm);
  return look(block, flag, status, [=, from = from, with = with](MPI_Status* real) { return PMPI_Iprobe(from, with, on, flag, real); });
}

int mprobe(int source, int tag, real<kind::comm> comm, int block, int* flag, real<kind::message>* message,
           neutral::status* status) {
  const auto [from, with] = real_envelope(source, tag);
  const MPI_Comm on = to_mpi(comm);
  MPI_Message matched = MPI_MESSAGE_NULL;
  const int error = look(block, flag, status,
                         [&, from = from, with = with](MPI_Status* real) { return PMPI_Improbe(from, with, on, flag, &matched, real); });
  *message = error == neutral::success && *flag != 0 ? to_neutral<kind::message>(matched) : real<kind::message>{};
  return error;
}

int imrecv(void* buffer, std::int64_t count, real<kind::datatype> datatype, real<kind::message> message,
           real<kind::request>* request) {
  MPI_Message matched = to_mpi(message);
  if (matched == MPI_MESSAGE_NO_PROC) {
    *request = null_receive;
    return neutral::success;
  }
  const MPI_Datatype type = to_mpi(datatype);
  MPI_Request started = MPI_REQUEST_NULL;
  int rc = MPI_ERR_COUNT;
  if (fits_int(count)) rc = PMPI_Imrecv(buffer, static_cast<int>(count), type, &matched, &started);
#if defined(MANA_DECLARES_MPI_Imrecv_c)
  else rc = PMPI_Imrecv_c(buffer, count, type, &matched, &started);
#endif
  return give_request(rc, started, request);
}

int mrecv_bytes(void* buffer, std::int64_t bytes, real<kind::message> message, neutral::status* status) {
  MPI_Message matched = to_mpi(message);
  if (matched == MPI_MESSAGE_NO_PROC) {
    *status = null_receive_status;
    return neutral::success;
  }
  const packed_span span(bytes);
  MPI_Status real{};
  const int rc = PMPI_Mrecv(buffer, span.count(), span.type(), &matched, &real);
  const int error = rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc);
  set_status(status, real, error);
  return error;
}

}  // namespace mana::real_mpi
