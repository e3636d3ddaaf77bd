// Partitioned messages: a checkpoint in the waits for the first message, which tells the receive its number, and in
// those for later ones; requests that are freed, and errors of the live MPI's.
#include <each_way.hpp>

#include <mana/object/request/form/partitioned/partitioned.hpp>
#include <mana/object/request/calls/request.hpp>

#include <cstring>

namespace request_partitioned_tests {

using namespace mana;
using namespace mana::scripted;

#if MPI_VERSION >= 4
namespace {

int data[2];
constexpr int number = 33;  // that the sender has given to the receive's messages

descriptor<kind::request>& known_of(MPI_Request r) {
  object::request_entry* e = nullptr;
  object::look_up(r, e);
  REQUIRE(e != nullptr);
  return e->what;
}
/// Rank 2's first message for this receive of two ints.
void arrive_first(MPI_Request r) {
  object::partition_channel channel = known_of(r).parts()->channel;
  channel.number = number;
  std::string bytes(reinterpret_cast<const char*>(&channel), sizeof channel);
  arrive({object::comms().partitioned.real, 2, object::first_message_tag, bytes + "one two "});
}
MPI_Request receive() {
  MPI_Request r = MPI_REQUEST_NULL;
  CHECK(MPI_Precv_init(data, 2, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r) == MPI_SUCCESS);
  return r;
}
MPI_Request send() {
  MPI_Request r = MPI_REQUEST_NULL;
  CHECK(MPI_Psend_init(data, 2, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r) == MPI_SUCCESS);
  return r;
}
void expect_packing() {
  expect<&mpi_slots::MPI_Pack_size>().does([](int, auto, auto, int* size) { return *size = 8, 0; });
  expect<&mpi_slots::MPI_Pack>().does(
      [](const void*, int, auto, void*, int, int* at, auto) { return *at = 8, 0; });
}
/// A send whose first message, a copy, is on its way. Whoever frees or ends it needs nothing of the program's.
void send_first(MPI_Request r) {
  expect_packing();
  const auto copy = expect_start<&services::isend>();
  CHECK(MPI_Start(&r) == MPI_SUCCESS);
  CHECK(MPI_Pready_range(0, 1, r) == MPI_SUCCESS);
  CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  complete(*copy);
  sweep_requests();
}
void check_both(const MPI_Status& s) {
  int n = 0;
  CHECK(s.MPI_SOURCE == 2);
  CHECK(s.MPI_TAG == 7);
  CHECK(MPI_Get_count(&s, MPI_INT, &n) == MPI_SUCCESS);
  CHECK(n == 2);
  CHECK(std::memcmp(data, "one two ", sizeof data) == 0);
  std::memset(data, 0, sizeof data);
}

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "MPI_Parrived parks when it leaves, and finds what came after the checkpoint") {
  each_way([](outcome how) {
    MPI_Request r = receive();
    CHECK(MPI_Start(&r) == MPI_SUCCESS);
    expect_checkpoint_after_look(how);
    int flag = 1;
    CHECK(MPI_Parrived(r, 0, &flag) == MPI_SUCCESS);
    CHECK(flag == 0);
    arrive_first(r);
    for (const int partition : {1, 0}) {
      CHECK(MPI_Parrived(r, partition, &flag) == MPI_SUCCESS);
      CHECK(flag == 1);
    }
    MPI_Status status;
    CHECK(MPI_Wait(&r, &status) == MPI_SUCCESS);
    check_both(status);
    CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
  });
}

TEST_CASE_FIXTURE(running_mpi, "MPI_Wait for a partitioned receive's first message") {
  each_way([](outcome how) {
    MPI_Request r = receive();
    CHECK(MPI_Start(&r) == MPI_SUCCESS);
    expect_checkpoint_in<&services::test_some>(how);
    after_checkpoint([r] { arrive_first(r); });
    MPI_Status status;
    CHECK(MPI_Wait(&r, &status) == MPI_SUCCESS);
    check_both(status);
    CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
  });
}

TEST_CASE_FIXTURE(running_mpi, "MPI_Wait for a partitioned receive's later messages, which have its number") {
  each_way([](outcome how) {
    MPI_Request r = receive();
    CHECK(MPI_Start(&r) == MPI_SUCCESS);
    arrive_first(r);
    MPI_Status status;
    CHECK(MPI_Wait(&r, &status) == MPI_SUCCESS);
    check_both(status);
    auto later = expect_start<&services::irecv>();
    CHECK(MPI_Start(&r) == MPI_SUCCESS);
    CHECK(std::get<4>(calls<&services::irecv>().back()) == number);
    if (how == outcome::restarts) later = expect_start<&services::irecv>();
    expect_checkpoint_in<&services::wait_some>(how);
    after_checkpoint([later] { complete(*later, {2, number, neutral::success, 0, 8}); });
    CHECK(MPI_Wait(&r, &status) == MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == 2);
    CHECK(status.MPI_TAG == 7);
    CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
  });
}

TEST_CASE_FIXTURE(running_mpi,
                  "a first message that a drain has taken finds its receive, initialised before or after") {
  for (const bool before : {true, false})
    for (const outcome how : {outcome::resumes, outcome::restarts}) {
      INFO(before);
      MPI_Request model = receive(), r = model;
      raise_attention();
      expect<&services::clock_enter>().does([how] { return declare_line(how); });
      expect<&mpi_slots::MPI_Barrier>().gives(neutral::success);
      if (before) CHECK(MPI_Start(&r) == MPI_SUCCESS);
      arrive_first(model);
      CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
      if (!before) CHECK(MPI_Start(&r) == MPI_SUCCESS);
      MPI_Status status;
      CHECK(MPI_Wait(&r, &status) == MPI_SUCCESS);
      check_both(status);
      CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
    }
}

TEST_CASE_FIXTURE(running_mpi, "MPI_Wait for a partitioned send: a drain completes what the live MPI has not") {
  each_way([](outcome how) {
    MPI_Request r = send();
    send_first(r);
    CHECK(MPI_Start(&r) == MPI_SUCCESS);
    CHECK(MPI_Pready(1, r) == MPI_SUCCESS);
    const auto sent = expect_start<&services::isend>();
    CHECK(MPI_Pready(0, r) == MPI_SUCCESS);
    expect_checkpoint_in<&services::wait_some>(how);
    if (how == outcome::is_given_up) after_checkpoint([sent] { complete(*sent); });
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
  });
}

TEST_CASE_FIXTURE(running_mpi, "the live MPI's error in a partitioned message comes from the call that meets it") {
  MPI_Request r = send();
  CHECK(MPI_Start(&r) == MPI_SUCCESS);
  expect<&mpi_slots::MPI_Pack_size>().gives(neutral::err_intern);
  check_error(MPI_Pready_range(0, 1, r), MPI_ERR_INTERN);
  CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);  // it is inactive: nothing will end it
  CHECK(MPI_Request_free(&r) == MPI_SUCCESS);

  r = send();
  CHECK(MPI_Start(&r) == MPI_SUCCESS);
  expect_packing();
  expect<&services::isend>().gives(neutral::err_intern);
  int both[] = {0, 1};
  check_error(MPI_Pready_list(2, both, r), MPI_ERR_INTERN);
  CHECK(MPI_Request_free(&r) == MPI_SUCCESS);

  CHECK(MPI_Psend_init(data, 0, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r) == MPI_SUCCESS);
  expect<&mpi_slots::MPI_Pack_size>().gives(neutral::err_intern);
  check_error(MPI_Start(&r), MPI_ERR_INTERN);
  CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
  CHECK(object::requests().unready == 0);

  r = receive();
  CHECK(MPI_Start(&r) == MPI_SUCCESS);
  arrive_first(r);
  expect<&services::deliver>().gives(neutral::err_truncate);
  check_error(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  expect<&services::irecv>().gives(neutral::err_intern);
  check_error(MPI_Start(&r), MPI_ERR_INTERN);
  CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi,
                  "a partitioned request that was freed is an error in every call, and pairs with nothing") {
  MPI_Request r = receive(), stale = r;
  arrive_first(r);
  int flag = 0;
  CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
  check_error(MPI_Parrived(stale, 0, &flag), MPI_ERR_REQUEST);
  check_error(MPI_Start(&stale), MPI_ERR_REQUEST);
  check_error(MPI_Request_free(&stale), MPI_ERR_REQUEST);
  r = send();
  stale = r;
  CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
  check_error(MPI_Pready(0, stale), MPI_ERR_REQUEST);
  check_error(MPI_Pready_range(0, 1, stale), MPI_ERR_REQUEST);
  check_error(MPI_Pready_list(1, &flag, stale), MPI_ERR_REQUEST);
}

TEST_CASE_FIXTURE(running_mpi,
                  "a partitioned request that is active cannot be freed, and what it names stays until it is over") {
  const std::size_t types = live_count(kind_code::datatype);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  CHECK(MPI_Type_contiguous(2, MPI_INT, &type) == MPI_SUCCESS);
  CHECK(MPI_Type_commit(&type) == MPI_SUCCESS);
  MPI_Request r = MPI_REQUEST_NULL;
  CHECK(MPI_Psend_init(data, 2, 1, type, 2, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r) == MPI_SUCCESS);
  CHECK(MPI_Type_free(&type) == MPI_SUCCESS);
  send_first(r);
  const auto sent = expect_start<&services::isend>();
  CHECK(MPI_Start(&r) == MPI_SUCCESS);
  check_error(MPI_Request_free(&r), MPI_ERR_REQUEST);  // its partitions are not ready
  CHECK(MPI_Pready_range(0, 1, r) == MPI_SUCCESS);
  check_error(MPI_Request_free(&r), MPI_ERR_REQUEST);  // its message is on its way
  CHECK(live_count(kind_code::datatype) == types + 1);
  complete(*sent);
  CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
}
#endif

}  // namespace request_partitioned_tests
