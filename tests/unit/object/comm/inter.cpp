// Intercommunicators: ranks of the other group, collectives and messages on them, and both across checkpoints.
#include <each_way.hpp>

#include <mana/object/comm/calls/intercomm.hpp>

#include <cstring>

namespace comm_inter_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

constexpr int other_ranks[] = {3, 0};  // of the other group, in the world: its rank 0 is the world's 3
int data[4];

/// The other leader's letter.
int receive_letter(void* buffer, std::int64_t, real<kind::datatype>, int source, int, real<kind::comm>,
                   real<kind::request>* request) {
  CHECK(source == other_ranks[0]);
  const object::group_card card{77, 2, neutral::success};
  std::memcpy(buffer, &card, sizeof card);
  std::memcpy(static_cast<char*>(buffer) + sizeof card, other_ranks, sizeof other_ranks);
  complete(*request = pending_request(false),
           {source, 0, neutral::success, 0, static_cast<std::int64_t>(sizeof card + sizeof other_ranks)});
  return neutral::success;
}
void expect_meeting() {
  expect<&services::irecv>().does(receive_letter);
  expect<&services::isend>().does(
      [](lower::send_mode, const void*, std::int64_t, auto, int, int, auto, auto* r) {
        complete(*r = pending_request(true));
        return int{neutral::success};
      });
  expect<&mpi_slots::MPI_Bcast>().gives(neutral::success);
}
int join(MPI_Comm* made) { return MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, other_ranks[0], 5, made); }
/// Of this rank alone, and of two others.
MPI_Comm intercommunicator() {
  MPI_Comm made = MPI_COMM_NULL;
  expect_meeting();
  expect<&services::intercomm_create>().does([](auto, int leader, int remote, int, auto* real) {
    CHECK(leader == 0);
    CHECK(remote == other_ranks[0]);
    *real = make<kind::comm>();
    return int{neutral::success};
  });
  REQUIRE(join(&made) == MPI_SUCCESS);
  return made;
}
/// A restart makes it again from what its groups were.
void expect_rebuild(outcome how) {
  if (how != outcome::restarts) return;
  expect<&services::intercomm_from_ranks>().does(
      [](const int* group, int n, const int* other, int m, int, auto* real) {
        CHECK(n == 1);
        CHECK(group[0] == own_rank);
        REQUIRE(m == 2);
        CHECK(std::equal(other, other + m, other_ranks));
        *real = make<kind::comm>();
        return int{neutral::success};
      });
}

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "an intercommunicator has both groups, and names ranks of the other") {
  MPI_Comm comm = intercommunicator();
  int n = 0, flag = 0, rank = -1;
  CHECK(MPI_Comm_test_inter(comm, &flag) == MPI_SUCCESS);
  CHECK(flag == 1);
  CHECK(MPI_Comm_size(comm, &n) == MPI_SUCCESS);
  CHECK(n == 1);
  CHECK(MPI_Comm_rank(comm, &rank) == MPI_SUCCESS);
  CHECK(rank == 0);
  CHECK(MPI_Comm_remote_size(comm, &n) == MPI_SUCCESS);
  CHECK(n == 2);
  MPI_Group remote = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  CHECK(MPI_Comm_remote_group(comm, &remote) == MPI_SUCCESS);
  CHECK(MPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS);
  const int both[] = {0, 1};
  int in_world[2];
  CHECK(MPI_Group_translate_ranks(remote, 2, both, world, in_world) == MPI_SUCCESS);
  CHECK(std::equal(in_world, in_world + 2, other_ranks));
  CHECK(MPI_Group_free(&remote) == MPI_SUCCESS);
  CHECK(MPI_Group_free(&world) == MPI_SUCCESS);
  MPI_Comm stale = comm;
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  check_error(MPI_Comm_remote_size(stale, &n), MPI_ERR_COMM);
  check_error(MPI_Comm_remote_group(stale, &remote), MPI_ERR_COMM);
  check_error(MPI_Intercomm_merge(stale, 0, &comm), MPI_ERR_COMM);
  check_error(MPI_Comm_remote_size(MPI_COMM_WORLD, &n), MPI_ERR_COMM, MPI_COMM_WORLD);
}

TEST_CASE_FIXTURE(running_mpi, "who waits for a rank of the other group tells the clock its rank in the world") {
  each_way([](outcome how) {
    MPI_Comm comm = intercommunicator();
    expect_rebuild(how);
    expect_start<&services::recv>(raise_attention);
    expect<&services::clock_wait>().does([how](const int* ranks, int n) {
      REQUIRE(n == 1);
      CHECK(ranks[0] == other_ranks[0]);
      return declare_line(how);
    });
    if (how == outcome::restarts) expect_start<&services::irecv>();
    after_checkpoint([] {
      expect<&services::wait_some>().does([](int n, auto* r, neutral::status* s, int) {
        for (int i = 0; i < n; ++i) complete(r[i], {0, 7, neutral::success, 0, 4});
        return take_completed(n, r, s);
      });
    });
    MPI_Status status;
    CHECK(MPI_Recv(data, 1, MPI_INT, 0, 7, comm, &status) == MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == 0);
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  });
}

TEST_CASE_FIXTURE(running_mpi, "a collective on an intercommunicator parks before it starts") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    MPI_Comm comm = intercommunicator();
    expect_rebuild(how);
    raise_attention();
    expect<&services::clock_enter>().does([how](const lower::collective_start* start) {
      --start->clock->seq;
      return declare_line(how);
    });
    after_checkpoint([] { expect<&mpi_slots::MPI_Bcast>().gives(neutral::success); });
    CHECK(MPI_Bcast(data, 1, MPI_INT, MPI_ROOT, comm) == MPI_SUCCESS);
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  }
  CHECK(parks() == 2);
}

TEST_CASE_FIXTURE(running_mpi, "each step of an intercommunicator may fail: the error is told, and nothing is left") {
  MPI_Comm made = MPI_COMM_NULL;
  expect<&services::irecv>().gives(neutral::err_intern);
  expect<&mpi_slots::MPI_Bcast>().gives(neutral::success);
  check_error(join(&made), MPI_ERR_INTERN, MPI_COMM_SELF);
  CHECK(made == MPI_COMM_NULL);

  expect_meeting();
  expect<&services::intercomm_create>().gives(neutral::err_intern);
  check_error(join(&made), MPI_ERR_INTERN, MPI_COMM_SELF);
  CHECK(made == MPI_COMM_NULL);

  MPI_Comm comm = intercommunicator();
  MPI_Comm_set_errhandler(comm, noting());
  expect<&mpi_slots::MPI_Bcast>().gives(neutral::err_intern);
  check_error(MPI_Bcast(data, 1, MPI_INT, MPI_ROOT, comm), MPI_ERR_INTERN, comm);
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
}

}  // namespace comm_inter_tests
