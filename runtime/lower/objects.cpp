// Communicators by world ranks, and the layout of datatypes in memory.
#include <runtime/lower/convert.hpp>
#include <runtime/lower/own_state.hpp>
#include <runtime/lower/real_mpi.hpp>

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

namespace mana::real_mpi {

namespace {

int neutral_result(int rc) { return rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc); }

/// A group that is freed at the end of its scope.
class scoped_group {
 public:
  scoped_group() = default;
  scoped_group(const scoped_group&) = delete;
  scoped_group& operator=(const scoped_group&) = delete;
  ~scoped_group() {
    if (group_ != MPI_GROUP_NULL && group_ != MPI_GROUP_EMPTY) PMPI_Group_free(&group_);
  }
  MPI_Group* out() noexcept { return &group_; }
  MPI_Group get() const noexcept { return group_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

/// Gives the new communicator to the boundary: it returns errors, and MPI_COMM_NULL becomes none. MPICH 4.0 does not
/// pass the error handler on in MPI_Comm_create and MPI_Comm_create_group.
real<kind::comm> adopt(MPI_Comm made) {
  if (made == MPI_COMM_NULL) return {};
  PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return to_neutral<kind::comm>(made);
}

/// MPI_Comm_create_group on `parent` for the group of these world ranks. Collective over these only.
int create_among(MPI_Comm parent, const int* world_ranks, int n, int tag, real<kind::comm>* result) {
  *result = {};
  // MPICH 4.0 makes a communicator's group when somebody asks for it, and MPI_Comm_create_group crashes without it.
  scoped_group of_parent, group;
  int rc = PMPI_Comm_group(parent, of_parent.out());
  if (rc == MPI_SUCCESS) rc = PMPI_Group_incl(own().world_group, n, world_ranks, group.out());
  MPI_Comm made = MPI_COMM_NULL;
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_create_group(parent, group.get(), tag, &made);
  if (rc != MPI_SUCCESS) return neutral_error(rc);
  *result = adopt(made);
  return neutral::success;
}

/// MPI_Intercomm_create; the leaders talk on the runtime's own communicator. remote_leader: world rank
int join(MPI_Comm local, int local_leader, int remote_leader, int tag, real<kind::comm>* result) {
  *result = {};
  MPI_Comm made = MPI_COMM_NULL;
  const int rc = PMPI_Intercomm_create(local, local_leader, own().world, remote_leader, tag, &made);
  if (rc != MPI_SUCCESS) return neutral_error(rc);
  *result = adopt(made);
  return neutral::success;
}

/// World ranks of a communicator's members on one side, whose group and number are given, as many as fit into `capacity`. The
/// group of MPICH 5.0.2's cartesian communicator has also the processes that are not in it, behind its own.
/// out: an MPI error code
int list_members(MPI_Group group, int members, int* size, int* ranks, int capacity) {
  *size = 0;
  if (const int rc = PMPI_Group_size(group, size); rc != MPI_SUCCESS) return rc;
  *size = std::min(*size, members);
  const int n = std::min(*size, capacity);
  if (n <= 0) return MPI_SUCCESS;
  std::vector<int> group_ranks(static_cast<std::size_t>(n));
  std::iota(group_ranks.begin(), group_ranks.end(), 0);
  return PMPI_Group_translate_ranks(group, n, group_ranks.data(), own().world_group, ranks);
}

}  // namespace

int comm_members(real<kind::comm> comm, int* sizes, int* ranks, int capacity) {
  const MPI_Comm real = to_mpi(comm);
  int is_inter = 0, members = 0;
  scoped_group group, other;
  int rc = PMPI_Comm_test_inter(real, &is_inter);
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_group(real, group.out());
  if (rc == MPI_SUCCESS && is_inter != 0) rc = PMPI_Comm_remote_group(real, other.out());
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_size(real, &members);
  if (rc == MPI_SUCCESS) rc = list_members(group.get(), members, &sizes[0], ranks, capacity);
  sizes[1] = 0;
  if (rc == MPI_SUCCESS && is_inter != 0) rc = PMPI_Comm_remote_size(real, &members);
  if (rc == MPI_SUCCESS && is_inter != 0)
    rc = list_members(other.get(), members, &sizes[1], ranks + std::min(sizes[0], capacity), std::max(capacity - sizes[0], 0));
  return neutral_result(rc);
}

int intercomm_create(real<kind::comm> local, int local_leader, int remote_leader, int tag, real<kind::comm>* result) {
  return join(to_mpi(local), local_leader, remote_leader, tag, result);
}

int intercomm_from_ranks(const int* group, int n, const int* other, int, int tag, real<kind::comm>* comm) {
  real<kind::comm> made{};
  if (const int rc = create_among(own().world, group, n, tag, &made); rc != neutral::success) return rc;
  MPI_Comm local = to_mpi(made);
  const int rc = join(local, 0, other[0], tag, comm);
  return rc == neutral::success ? neutral_result(PMPI_Comm_free(&local)) : rc;
}

int intercomm_merge(real<kind::comm> comm, int high, real<kind::comm>* result) {
  *result = {};
  MPI_Comm made = MPI_COMM_NULL;
  const int rc = PMPI_Intercomm_merge(to_mpi(comm), high, &made);
  if (rc != MPI_SUCCESS) return neutral_error(rc);
  *result = adopt(made);
  return neutral::success;
}

int comm_from_ranks(const int* world_ranks, int n, int tag, real<kind::comm>* comm) {
  return create_among(own().world, world_ranks, n, tag, comm);
}

int comm_create_group(real<kind::comm> comm, const int* world_ranks, int n, int tag, real<kind::comm>* result) {
  return create_among(to_mpi(comm), world_ranks, n, tag, result);
}

int comm_create(real<kind::comm> comm, const int* world_ranks, int n, real<kind::comm>* result) {
  *result = {};
  scoped_group group;
  int rc = PMPI_Group_incl(own().world_group, n, world_ranks, group.out());
  MPI_Comm made = MPI_COMM_NULL;
  if (rc == MPI_SUCCESS) rc = PMPI_Comm_create(to_mpi(comm), group.get(), &made);
  if (rc != MPI_SUCCESS) return neutral_error(rc);
  *result = adopt(made);
  return neutral::success;
}

int split_shared(real<kind::comm> comm, int member, int key, real<kind::comm>* result) {
  *result = {};
  MPI_Comm made = MPI_COMM_NULL;
  const int type = member != 0 ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED;
  const int rc = PMPI_Comm_split_type(to_mpi(comm), type, key, MPI_INFO_NULL, &made);
  if (rc != MPI_SUCCESS) return neutral_error(rc);
  *result = adopt(made);
  return neutral::success;
}

/// MPI writes the handle directly into the caller's word. A 32-bit handle fills the lower half of the word, as with
/// to_neutral(). The new communicator inherits MPI_ERRORS_RETURN.
int comm_idup(real<kind::comm> comm, real<kind::comm>* result, real<kind::request>* request) {
  static_assert(std::endian::native == std::endian::little && sizeof(MPI_Comm) <= sizeof *result);
  *result = {};
  MPI_Request started = MPI_REQUEST_NULL;
  const int rc = PMPI_Comm_idup(to_mpi(comm), reinterpret_cast<MPI_Comm*>(result), &started);
  return give_request(rc, started, request);
}

int datatype_layout(real<kind::datatype> datatype, std::int64_t* layout) {
  const MPI_Datatype type = to_mpi(datatype);
  MPI_Count value[5];
  int rc = PMPI_Type_size_x(type, &value[0]);
  if (rc == MPI_SUCCESS) rc = PMPI_Type_get_extent_x(type, &value[1], &value[2]);
  if (rc == MPI_SUCCESS) rc = PMPI_Type_get_true_extent_x(type, &value[3], &value[4]);
  if (rc != MPI_SUCCESS) return neutral_error(rc);
  std::transform(value, value + 5, layout, [](MPI_Count v) -> std::int64_t {
    return v == MPI_UNDEFINED ? neutral::undefined : v; });
  return neutral::success;
}

}  // namespace mana::real_mpi
