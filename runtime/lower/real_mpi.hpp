// The MPI side of the runtime's services: what `struct services` of the frozen boundary promises, over the real MPI of
// this process. Compiled once for each mpi.h. Only PMPI_ names are called, so that tools that define MPI_ functions in
// the lower half (none should) cannot get between.
// All functions return neutral error classes, take and give handles as the boundary's 64-bit values, and run under the
// lower half's thread pointer. Their meaning is documented at their member of lower::services.
#pragma once
#include <mana/lower/abi.hpp>

namespace mana::real_mpi {

using lower::send_mode;

// p2p.cpp
int send(send_mode mode, const void* buffer, std::int64_t count, std::uint64_t datatype, int dest, int tag,
         std::uint64_t comm, std::uint64_t* request);
int recv(void* buffer, std::int64_t count, std::uint64_t datatype, int source, int tag, std::uint64_t comm,
         neutral::status* status, std::uint64_t* request);
int isend(send_mode mode, const void* buffer, std::int64_t count, std::uint64_t datatype, int dest, int tag,
          std::uint64_t comm, std::uint64_t* request);
int irecv(void* buffer, std::int64_t count, std::uint64_t datatype, int source, int tag, std::uint64_t comm,
          std::uint64_t* request);

// completion.cpp
int test_some(int n, std::uint64_t* requests, neutral::status* statuses);
int wait_some(int n, std::uint64_t* requests, neutral::status* statuses, int least);
int cancel(std::uint64_t request);
int request_free(std::uint64_t request);

// probe.cpp
int probe(int source, int tag, std::uint64_t comm, int block, int* flag, neutral::status* status);
int mprobe(int source, int tag, std::uint64_t comm, int block, int* flag, std::uint64_t* message,
           neutral::status* status);
int imrecv(void* buffer, std::int64_t count, std::uint64_t datatype, std::uint64_t message, std::uint64_t* request);
int mrecv_bytes(void* buffer, std::int64_t bytes, std::uint64_t message, neutral::status* status);

// deliver.cpp
int deliver(const void* bytes, std::int64_t size, void* buffer, std::int64_t count, std::uint64_t datatype,
            neutral::status* status);

// objects.cpp
int comm_members(std::uint64_t comm, int* sizes, int* ranks, int capacity);
int comm_from_ranks(const int* world_ranks, int n, int tag, std::uint64_t* comm);
int comm_create(std::uint64_t comm, const int* world_ranks, int n, std::uint64_t* result);
int comm_create_group(std::uint64_t comm, const int* world_ranks, int n, int tag, std::uint64_t* result);
int intercomm_create(std::uint64_t local, int local_leader, int remote_leader, int tag, std::uint64_t* result);
int intercomm_from_ranks(const int* group, int n, const int* other, int n_other, int tag, std::uint64_t* comm);
int intercomm_merge(std::uint64_t comm, int high, std::uint64_t* result);
int split_shared(std::uint64_t comm, int member, int key, std::uint64_t* result);
int comm_idup(std::uint64_t comm, std::uint64_t* result, std::uint64_t* request);
int datatype_layout(std::uint64_t datatype, std::int64_t* layout);

// operations.cpp
int op_create(std::uint32_t index, int commute, std::uint64_t* op);

// environment.cpp
int world_attribute(int which, int* flag, std::int64_t* value);
int error_text(int error_class, char* text, int* length);
int affinity_text(int format, char* bound, char* current, char* exists);

// drain.cpp
int drain_begin(std::uint64_t number);          // of this drain, from 1, the same on all ranks
int drain_post(int rank, const void* bytes, std::int64_t n);
int drain_look(int* taken, int* unsent);
void drain_mail_at(int index, int* from, const void** bytes, std::int64_t* n);
int drain_barrier(int* over);
/// Before finish(), on all ranks: ends what drains that were given up have left. number: of drains so far
void drain_end(std::uint64_t number);
/// Begins a barrier of the members of `comm`, and does not wait.      out: its request
std::uint64_t begin_barrier(std::uint64_t comm);
/// True once all members have begun it. The request is gone then: it is not asked for again.
bool is_barrier_over(std::uint64_t& request);
/// Lets the live MPI work on what is under way.
void make_progress();

/// Fills the members of `table` that are named above; leaves the others as they are.
void fill_services(lower::services& table);

}  // namespace mana::real_mpi
