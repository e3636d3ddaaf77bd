// Replaces an MPI's mpi.h for the lower half without MPI, in a job of one process. It has the part of MPI that the
// runtime calls for itself. Collectives concern this process alone. No message is ever sent or received.
#pragma once
#include <cstdint>
#include <cstring>

using MPI_Comm = int;
using MPI_Group = int;
using MPI_Request = int;
using MPI_Op = int;
using MPI_Datatype = int;          // bytes of one element
struct MPI_Status {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
};

inline constexpr int MPI_SUCCESS = 0, MPI_ERR_OTHER = 15, MPI_ERR_IN_STATUS = 17, MPI_ERR_PENDING = 18;
inline constexpr int MPI_MAX_ERROR_STRING = 128, MPI_ANY_SOURCE = -2;
inline constexpr MPI_Comm MPI_COMM_NULL = 0, MPI_COMM_WORLD = 1;
inline constexpr MPI_Group MPI_GROUP_NULL = 0;
inline constexpr MPI_Request MPI_REQUEST_NULL = 0;
inline constexpr MPI_Datatype MPI_BYTE = 1, MPI_INT = sizeof(int), MPI_UINT64_T = sizeof(std::uint64_t);
inline constexpr MPI_Op MPI_MIN = 1, MPI_MAX = 2;
inline constexpr MPI_Status* MPI_STATUS_IGNORE = nullptr;

namespace mana::one_process {

inline int copy(const void* from, int count, MPI_Datatype element, void* to) noexcept {
  if (count > 0) std::memcpy(to, from, static_cast<std::size_t>(count) * static_cast<std::size_t>(element));
  return MPI_SUCCESS;
}

}  // namespace mana::one_process

inline int PMPI_Comm_rank(MPI_Comm, int* rank) { return *rank = 0, MPI_SUCCESS; }
inline int PMPI_Comm_size(MPI_Comm, int* size) { return *size = 1, MPI_SUCCESS; }
inline int PMPI_Comm_dup(MPI_Comm from, MPI_Comm* to) { return *to = from, MPI_SUCCESS; }
inline int PMPI_Bcast(void*, int, MPI_Datatype, int, MPI_Comm) { return MPI_SUCCESS; }
inline int PMPI_Allreduce(const void* mine, void* all, int n, MPI_Datatype element, MPI_Op, MPI_Comm) {
  return mana::one_process::copy(mine, n, element, all);
}
inline int PMPI_Reduce(const void* mine, void* all, int n, MPI_Datatype element, MPI_Op, int, MPI_Comm) {
  return mana::one_process::copy(mine, n, element, all);
}
inline int PMPI_Iallreduce(const void* mine, void* all, int n, MPI_Datatype element, MPI_Op, MPI_Comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return mana::one_process::copy(mine, n, element, all);
}
inline int PMPI_Allgather(const void* mine, int n, MPI_Datatype element, void* all, int, MPI_Datatype, MPI_Comm) {
  return mana::one_process::copy(mine, n, element, all);
}
inline int PMPI_Gather(const void* mine, int n, MPI_Datatype element, void* all, int, MPI_Datatype, int, MPI_Comm) {
  return mana::one_process::copy(mine, n, element, all);
}
inline int PMPI_Allgatherv(const void* mine, int n, MPI_Datatype element, void* all, const int*, const int*, MPI_Datatype,
                           MPI_Comm) {
  return mana::one_process::copy(mine, n, element, all);
}
inline int PMPI_Send(const void*, int, MPI_Datatype, int, int, MPI_Comm) { return MPI_ERR_OTHER; }
inline int PMPI_Recv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*) { return MPI_ERR_OTHER; }
inline int PMPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) { return MPI_ERR_OTHER; }
inline int PMPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) { return MPI_ERR_OTHER; }
inline int PMPI_Iprobe(int, int, MPI_Comm, int* found, MPI_Status*) { return *found = 0, MPI_SUCCESS; }
inline int PMPI_Get_count(const MPI_Status*, MPI_Datatype, int* n) { return *n = 0, MPI_SUCCESS; }
inline int PMPI_Wait(MPI_Request*, MPI_Status*) { return MPI_SUCCESS; }
inline int PMPI_Test(MPI_Request*, int* done, MPI_Status*) { return *done = 1, MPI_SUCCESS; }
inline int PMPI_Testall(int, MPI_Request*, int* done, MPI_Status*) { return *done = 1, MPI_SUCCESS; }
inline int PMPI_Request_free(MPI_Request* request) { return *request = MPI_REQUEST_NULL, MPI_SUCCESS; }
inline int PMPI_Error_string(int, char* text, int* length) {
  std::strcpy(text, "there is no other process");
  *length = static_cast<int>(std::strlen(text));
  return MPI_SUCCESS;
}
