// Matched messages: received once, kept across a checkpoint, counted by inventories.
#include <running_mpi.hpp>

namespace message_life_tests {

using namespace mana;
using namespace mana::scripted;

namespace {
int data[4];
MPI_Message matched() {
  MPI_Message m = MPI_MESSAGE_NULL;
  arrive({lower::predefined(neutral::comm_world), 2, 7, "four"});
  CHECK(MPI_Mprobe(2, 7, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  return m;
}
}  // namespace

TEST_CASE_FIXTURE(running_mpi, "a message that was received is an error in every call") {
  MPI_Message m = matched();
  MPI_Message stale = m;
  expect<&services::imrecv>().does([](void*, std::int64_t, auto, real<kind::message> message, real<kind::request>* r) {
    end(message);
    complete(*r = pending_request(true), {2, 7, neutral::success, 0, 4});
    return int{neutral::success};
  });
  CHECK(MPI_Mrecv(data, 1, MPI_INT, &m, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(m == MPI_MESSAGE_NULL);
  MPI_Request r = MPI_REQUEST_NULL;
  check_error(MPI_Mrecv(data, 1, MPI_INT, &stale, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
  check_error(MPI_Imrecv(data, 1, MPI_INT, &stale, &r), MPI_ERR_REQUEST);
  check_error(MPI_Imrecv(data, 1, MPI_INT, &m, &r), MPI_ERR_REQUEST);
}

TEST_CASE_FIXTURE(running_mpi, "a receive that the live MPI refuses leaves the message where it is") {
  MPI_Message m = matched();
  MPI_Request r = MPI_REQUEST_NULL;
  expect<&services::imrecv>(2).gives(neutral::err_intern);
  check_error(MPI_Imrecv(data, 1, MPI_INT, &m, &r), MPI_ERR_INTERN);
  CHECK(m != MPI_MESSAGE_NULL);
  check_error(MPI_Mrecv(data, 1, MPI_INT, &m, MPI_STATUS_IGNORE), MPI_ERR_INTERN);
  CHECK(m != MPI_MESSAGE_NULL);
  expect<&services::imrecv>().does([](void*, std::int64_t, auto, real<kind::message> message, real<kind::request>* request) {
    end(message);
    complete(*request = pending_request(true), {2, 7, neutral::success, 0, 4});
    return int{neutral::success};
  });
  CHECK(MPI_Mrecv(data, 1, MPI_INT, &m, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "a thread that waits in MPI_Mprobe has matched no message: inventories do not count one") {
  constexpr auto messages = static_cast<std::size_t>(lower::counted::messages);
  expect<&services::mprobe>().does([] {
    CHECK(inventory()[messages] == 0);
    arrive({lower::predefined(neutral::comm_world), 2, 7, "four"});
    raise_attention();
    return int{neutral::success};
  });
  expect<&services::clock_wait>().gives(wait_end::done);
  MPI_Message m = MPI_MESSAGE_NULL;
  CHECK(MPI_Mprobe(2, 7, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(inventory()[messages] == 1);
  raise_attention();
  expect<&services::clock_enter>().does([] { return declare_line(outcome::restarts); });
  expect<&mpi_slots::MPI_Barrier>().gives(neutral::success);
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);           // the message is held by the program from here on
  CHECK(MPI_Mrecv(data, 1, MPI_INT, &m, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

}  // namespace message_life_tests
