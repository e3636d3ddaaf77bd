#include <runtime/lower/start_operation.hpp>

namespace mana::real_mpi {

namespace {

int start_large_send([[maybe_unused]] lower::send_mode mode, [[maybe_unused]] const void* buffer,
                     [[maybe_unused]] std::int64_t count, [[maybe_unused]] MPI_Datatype type,
                     [[maybe_unused]] int dest, [[maybe_unused]] int tag, [[maybe_unused]] MPI_Comm comm,
                     [[maybe_unused]] MPI_Request* request) noexcept {
#if defined(MANA_DECLARES_MPI_Isend_c)
  switch (mode) {
    case lower::send_mode::standard: return PMPI_Isend_c(buffer, count, type, dest, tag, comm, request);
    case lower::send_mode::synchronous: return PMPI_Issend_c(buffer, count, type, dest, tag, comm, request);
    case lower::send_mode::ready: return PMPI_Irsend_c(buffer, count, type, dest, tag, comm, request);
  }
#endif
  return MPI_ERR_COUNT;
}

}  // namespace

int start_send(lower::send_mode mode, const void* buffer, std::int64_t count, MPI_Datatype type, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) noexcept {
  if (!fits_int(count)) [[unlikely]] return start_large_send(mode, buffer, count, type, dest, tag, comm, request);
  const int n = static_cast<int>(count);
  switch (mode) {
    case lower::send_mode::standard: return PMPI_Isend(buffer, n, type, dest, tag, comm, request);
    case lower::send_mode::synchronous: return PMPI_Issend(buffer, n, type, dest, tag, comm, request);
    case lower::send_mode::ready: return PMPI_Irsend(buffer, n, type, dest, tag, comm, request);
  }
  return MPI_ERR_ARG;
}

int start_recv(void* buffer, std::int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request* request) noexcept {
  if (fits_int(count)) [[likely]]
    return PMPI_Irecv(buffer, static_cast<int>(count), type, source, tag, comm, request);
#if defined(MANA_DECLARES_MPI_Irecv_c)
  return PMPI_Irecv_c(buffer, count, type, source, tag, comm, request);
#else
  return MPI_ERR_COUNT;
#endif
}

}  // namespace mana::real_mpi
