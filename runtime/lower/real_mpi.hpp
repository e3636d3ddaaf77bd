// The MPI side of the runtime's services: implements `struct services` of the frozen boundary over the real MPI of this
// process. Compiled once for each mpi.h. It calls only PMPI_ names, so that tools that define MPI_ functions in the
// lower half (none should) cannot intercept the calls. All functions return neutral error classes, use the boundary's
// real<K> for handles, and run under the lower half's thread pointer. Their meaning is documented at their member of
// lower::services.
#pragma once
#include <mana/lower/abi.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace mana::real_mpi {

using lower::send_mode;

// p2p.cpp
int send(send_mode mode, const void* buffer, std::int64_t count, real<kind::datatype> datatype, int dest, int tag,
         real<kind::comm> comm, real<kind::request>* request);
int recv(void* buffer, std::int64_t count, real<kind::datatype> datatype, int source, int tag, real<kind::comm> comm,
         neutral::status* status, real<kind::request>* request);
int isend(send_mode mode, const void* buffer, std::int64_t count, real<kind::datatype> datatype, int dest, int tag,
          real<kind::comm> comm, real<kind::request>* request);
int irecv(void* buffer, std::int64_t count, real<kind::datatype> datatype, int source, int tag, real<kind::comm> comm,
          real<kind::request>* request);

// completion.cpp
int test_some(int n, real<kind::request>* requests, neutral::status* statuses);
int wait_some(int n, real<kind::request>* requests, neutral::status* statuses, int least);
int cancel(real<kind::request> request);
int request_free(real<kind::request> request);

// probe.cpp
int probe(int source, int tag, real<kind::comm> comm, int block, int* flag, neutral::status* status);
int mprobe(int source, int tag, real<kind::comm> comm, int block, int* flag, real<kind::message>* message,
           neutral::status* status);
int imrecv(void* buffer, std::int64_t count, real<kind::datatype> datatype, real<kind::message> message,
           real<kind::request>* request);
int mrecv_bytes(void* buffer, std::int64_t bytes, real<kind::message> message, neutral::status* status);

// deliver.cpp
int deliver(const void* bytes, std::int64_t size, void* buffer, std::int64_t count, real<kind::datatype> datatype,
            neutral::status* status);

// objects.cpp
int comm_members(real<kind::comm> comm, int* sizes, int* ranks, int capacity);
int comm_from_ranks(const int* world_ranks, int n, int tag, real<kind::comm>* comm);
int comm_create(real<kind::comm> comm, const int* world_ranks, int n, real<kind::comm>* result);
int comm_create_group(real<kind::comm> comm, const int* world_ranks, int n, int tag, real<kind::comm>* result);
int intercomm_create(real<kind::comm> local, int local_leader, int remote_leader, int tag, real<kind::comm>* result);
int intercomm_from_ranks(const int* group, int n, const int* other, int n_other, int tag, real<kind::comm>* comm);
int intercomm_merge(real<kind::comm> comm, int high, real<kind::comm>* result);
int split_shared(real<kind::comm> comm, int member, int key, real<kind::comm>* result);
int comm_idup(real<kind::comm> comm, real<kind::comm>* result, real<kind::request>* request);
int datatype_layout(real<kind::datatype> datatype, std::int64_t* layout);

// windows.cpp
int win_enter(real<kind::win> win);
/// Frees the windows that are left. Collective over all ranks, before the live MPI ends.
void end_windows();

// operations.cpp
int op_create(std::uint32_t index, int commute, real<kind::op>* op);

// environment.cpp
int world_attribute(int which, int* flag, std::int64_t* value);
/// A predefined datatype or operation that the live MPI has. bytes: of a datatype's data; 0: an operation
struct predefined_object {
  std::string name;
  std::int64_t bytes;
};
/// in: code  neutral      out: nothing: the live MPI lacks it, or it is neither
std::optional<predefined_object> predefined_object_of(std::uint32_t code);
/// Whether it has functions and datatypes with counts that no int holds.
bool supports_large_counts() noexcept;
int error_text(int error_class, char* text, int* length);
int affinity_text(int format, char* bound, char* current, char* exists);

// drain.cpp
int drain_begin(std::uint64_t number);          // of this drain, from 1, the same on all ranks
int drain_post(int rank, const void* bytes, std::int64_t n);
int drain_look(int* taken, int* unsent);
void drain_mail_at(int index, int* from, const void** bytes, std::int64_t* n);
int drain_barrier(int* over);
/// Call on all ranks before finish(). Ends what drains that were given up have left. number: of drains so far
void drain_end(std::uint64_t number);
/// Begins a barrier of the members of `comm`, without waiting.      out: its request
real<kind::request> begin_barrier(real<kind::comm> comm);
/// True once all members have begun the barrier. The request no longer exists then: do not ask again.
bool is_barrier_over(real<kind::request>& request);
/// Lets the live MPI work on operations under way.
void make_progress();

/// Fills the members of `table` for the functions above, and leaves the others unchanged.
void fill_services(lower::services& table);

}  // namespace mana::real_mpi
