// Buffers of communicators and sessions, and waits for what was sent from one (MPI-4.1). The functions are called past
// mpi.h, which may not have them.
#include <running_mpi.hpp>

#include <mana/calls.hpp>

namespace request_buffers_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

char data[4];
constexpr int room_of_one = 4 + family::buffered_overhead;
static_assert(family::buffered_overhead <= MPI_BSEND_OVERHEAD);

/// A buffered send of four bytes. out: its request below
std::shared_ptr<real<kind::request>> send_one(MPI_Comm comm) {
  expect<&mpi_slots::MPI_Pack_size>().does([](auto, auto, auto, int* size) { return *size = 4, 0; });
  expect<&mpi_slots::MPI_Pack>().gives(neutral::success);
  auto below = expect_start<&services::isend>();
  CHECK(MPI_Bsend(data, 4, MPI_CHAR, 2, 7, comm) == MPI_SUCCESS);
  return below;
}
void send_none(MPI_Comm comm) {
  expect<&mpi_slots::MPI_Pack_size>().does([](auto, auto, auto, int* size) { return *size = 4, 0; });
  check_error(MPI_Bsend(data, 4, MPI_CHAR, 2, 7, comm), MPI_ERR_BUFFER, comm);
}

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "a communicator's buffer is for its messages alone, and is found again by its owner") {
  static char own[room_of_one], all[room_of_one];
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK(manual::comm_attach_buffer(comm, own, sizeof own) == MPI_SUCCESS);
  check_error(object::finish(manual::comm_attach_buffer(comm, own, sizeof own)), MPI_ERR_BUFFER, comm);
  send_none(MPI_COMM_WORLD);
  const auto first = send_one(comm);
  send_none(comm);
  CHECK(MPI_Buffer_attach(all, sizeof all) == MPI_SUCCESS);
  const auto second = send_one(MPI_COMM_WORLD);
  complete(*second);
  void* back = nullptr;
  int size = 0;
  CHECK(MPI_Buffer_detach(&back, &size) == MPI_SUCCESS);
  CHECK(back == all);
  complete(*first);
  CHECK(manual::comm_detach_buffer(comm, &back, &size) == MPI_SUCCESS);
  CHECK(back == own);
  CHECK(size == static_cast<int>(sizeof own));
  CHECK(manual::comm_detach_buffer(comm, &back, &size) == MPI_SUCCESS);
  CHECK(back == nullptr);
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "a communicator that is freed takes its buffer with it; what is on its way goes on") {
  static char own[room_of_one];
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK(manual::comm_attach_buffer_c(comm, own, sizeof own) == MPI_SUCCESS);
  const auto below = send_one(comm);
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  complete(*below);
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
  send_none(comm);
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  object::end_buffered();
}

TEST_CASE_FIXTURE(running_mpi, "MPI_Comm_flush_buffer waits for what is on its way, through checkpoints, and keeps the buffer") {
  static char own[2 * room_of_one];
  CHECK(manual::comm_attach_buffer(MPI_COMM_WORLD, own, sizeof own) == MPI_SUCCESS);
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    send_one(MPI_COMM_WORLD);
    expect_checkpoint_in<&services::wait_some>(how);
    CHECK(manual::comm_flush_buffer(MPI_COMM_WORLD) == MPI_SUCCESS);
  }
  CHECK(parks() == 2);
  void* back = nullptr;
  int size = 0;
  CHECK(manual::comm_detach_buffer(MPI_COMM_WORLD, &back, &size) == MPI_SUCCESS);
  CHECK(back == own);
}

TEST_CASE_FIXTURE(running_mpi, "MPI_Buffer_iflush is over when the messages before it have left, not those after it") {
  static char room[3 * room_of_one];
  CHECK(MPI_Buffer_attach(room, sizeof room) == MPI_SUCCESS);
  const auto before = send_one(MPI_COMM_WORLD);
  MPI_Request flush = MPI_REQUEST_NULL;
  CHECK(manual::buffer_iflush(&flush) == MPI_SUCCESS);
  const auto after = send_one(MPI_COMM_WORLD);
  int flag = 1;
  CHECK(MPI_Test(&flush, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(flag == 0);
  complete(*before);
  CHECK(MPI_Wait(&flush, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(flush == MPI_REQUEST_NULL);
  complete(*after);
  CHECK(manual::buffer_flush() == MPI_SUCCESS);
  void* back = nullptr;
  int size = 0;
  CHECK(MPI_Buffer_detach(&back, &size) == MPI_SUCCESS);
  CHECK(back == room);
}

#if defined(MPI_BUFFER_AUTOMATIC)
TEST_CASE_FIXTURE(running_mpi, "MPI_BUFFER_AUTOMATIC has room for any number of messages") {
  CHECK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0) == MPI_SUCCESS);
  std::vector<std::shared_ptr<real<kind::request>>> below;
  for (int i = 0; i < 100; ++i) below.push_back(send_one(MPI_COMM_WORLD));
  for (const auto& each : below) complete(*each);
  void* back = nullptr;
  int size = 0;
  CHECK(MPI_Buffer_detach(&back, &size) == MPI_SUCCESS);
  CHECK(back == MPI_BUFFER_AUTOMATIC);
}
#endif

#if MPI_VERSION >= 4
TEST_CASE_FIXTURE(running_mpi, "a session's buffer is for the communicators that come from it") {
  static char own[room_of_one];
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL, next = MPI_COMM_NULL;
  CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  CHECK(MPI_Group_from_session_pset(session, "mpi://WORLD", &all) == MPI_SUCCESS);
  const int ranks[] = {0, 1, 2};
  CHECK(MPI_Group_incl(all, 3, ranks, &some) == MPI_SUCCESS);
  CHECK(MPI_Comm_create_from_group(some, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS);
  CHECK(MPI_Comm_dup(comm, &next) == MPI_SUCCESS);
  CHECK(manual::session_attach_buffer(session, own, sizeof own) == MPI_SUCCESS);
  send_none(MPI_COMM_WORLD);
  const auto below = send_one(next);
  MPI_Request flush = MPI_REQUEST_NULL;
  CHECK(manual::session_iflush_buffer(session, &flush) == MPI_SUCCESS);
  complete(*below);
  CHECK(MPI_Wait(&flush, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(manual::session_flush_buffer(session) == MPI_SUCCESS);
  void* back = nullptr;
  MPI_Count size = 0;
  CHECK(manual::session_detach_buffer_c(session, &back, &size) == MPI_SUCCESS);
  CHECK(back == own);
  CHECK(MPI_Comm_free(&next) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  CHECK(MPI_Group_free(&some) == MPI_SUCCESS);
  CHECK(MPI_Group_free(&all) == MPI_SUCCESS);
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
}
#endif

}  // namespace request_buffers_tests
