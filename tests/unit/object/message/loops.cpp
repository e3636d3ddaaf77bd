// Loops of MPI_Iprobe, MPI_Improbe and MPI_Test: each call is a place for a checkpoint, the message comes later.
#include <each_way.hpp>

namespace message_loops_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

int data[4];
constexpr int rounds = 5, comes_in = 3;  // the checkpoint in the first round, the message in this one

/// Asks until there is a message. ask: (round) → whether one was found
template <class Ask>
void loop(outcome how, Ask&& ask) {
  int found = 0;
  for (int round = 0; round < rounds && found == 0; ++round) {
    if (round == 0) expect_checkpoint_after_look(how);
    if (round == comes_in) arrive({lower::predefined(neutral::comm_world), 2, 7, "four"});
    found = ask();
    CHECK((found != 0) == (round == comes_in));
  }
}

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "a loop of MPI_Iprobe parks in it, and finds the message of the process that goes on") {
  each_way([](outcome how) {
    loop(how, [] {
      int flag = 0;
      MPI_Status status;
      CHECK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status) == MPI_SUCCESS);
      if (flag != 0) check_from_two(status);
      return flag;
    });
    expect_start<&services::recv>();
    complete_in_wait();
    CHECK(MPI_Recv(data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    forget_network();
  });
}

TEST_CASE_FIXTURE(running_mpi, "a loop of MPI_Improbe parks in it, and what it matches is received") {
  each_way([](outcome how) {
    MPI_Message m = MPI_MESSAGE_NULL;
    loop(how, [&m] {
      int flag = 0;
      MPI_Status status;
      CHECK(MPI_Improbe(2, 7, MPI_COMM_WORLD, &flag, &m, &status) == MPI_SUCCESS);
      CHECK((m != MPI_MESSAGE_NULL) == (flag != 0));
      if (flag != 0) check_from_two(status);
      return flag;
    });
    expect<&services::imrecv>().does([](void*, std::int64_t, auto, auto message, auto* r) {
      end(message);
      complete(*r = pending_request(true), from_two);
      return int{neutral::success};
    });
    CHECK(MPI_Mrecv(data, 1, MPI_INT, &m, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  });
}

TEST_CASE_FIXTURE(
    running_mpi,
    "a message that was matched, and a checkpoint comes in the wait for it: it is received from what is kept") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    MPI_Message m = MPI_MESSAGE_NULL;
    arrive({lower::predefined(neutral::comm_world), 2, 7, "four"});
    CHECK(MPI_Mprobe(2, 7, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    expect_checkpoint_in<&services::probe>(how);
    after_checkpoint([] { arrive({lower::predefined(neutral::comm_world), 3, 8, "more"}); });
    CHECK(MPI_Probe(3, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Status status;
    CHECK(MPI_Mrecv(data, 1, MPI_INT, &m, &status) == MPI_SUCCESS);
    check_from_two(status);
    forget_network();
  }
  CHECK(parks() == 2);
}

TEST_CASE_FIXTURE(running_mpi, "MPI_PROC_NULL's message is there at once, whatever is pending") {
  MPI_Message m = MPI_MESSAGE_NULL;
  MPI_Status status;
  const auto from_nobody = [](int source, int, auto, int, int* flag, neutral::status* s) {
    CHECK(source == neutral::proc_null);
    *flag = 1;
    *s = {neutral::proc_null, neutral::any_tag, neutral::success, 0, 0};
    return int{neutral::success};
  };
  expect<&services::probe>().does(from_nobody);
  CHECK(MPI_Probe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
  expect<&services::mprobe>().does([](int, int, auto, int, int* flag, auto*, neutral::status* s) {
    *flag = 1;
    *s = {neutral::proc_null, neutral::any_tag, neutral::success, 0, 0};
    return int{neutral::success};
  });
  CHECK(MPI_Mprobe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &m, &status) == MPI_SUCCESS);
  CHECK(m == MPI_MESSAGE_NO_PROC);
  CHECK(MPI_Mrecv(data, 1, MPI_INT, &m, &status) == MPI_SUCCESS);
  CHECK(m == MPI_MESSAGE_NULL);
}

}  // namespace message_loops_tests
