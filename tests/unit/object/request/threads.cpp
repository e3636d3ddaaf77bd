// MPI_THREAD_MULTIPLE: one thread waits in a call while another comes to the line; all of them are parked, and go on.
#include <each_way.hpp>

#include <mana/library/init.hpp>

#include <future>

namespace request_threads_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

int data[2];

/// As MPI_Init_thread leaves a program that asked for MPI_THREAD_MULTIPLE.
struct many_callers {
  many_callers() { library::let_callers_come(turns::at_once); }
  ~many_callers() { library::let_callers_come(turns::one_by_one); }
};

/// The wait of another thread is in the live MPI when `entered` is ready, and comes back from it for a checkpoint.
template <auto Member>
void expect_wait_of_other(std::promise<void>& entered) {
  expect<Member>().does([&entered](auto...) {
    entered.set_value();
    while (lower::the_bridge().attention.load() == 0) std::this_thread::yield();
    return 0;
  });
  // It may hear of the checkpoint before the line is declared: then it looks again.
  always<&services::clock_wait>().does([] {
    return lower::the_bridge().current.load() == lower::phase::parking ? wait_end::attention : wait_end::done;
  });
}
void come_to_line(outcome how) {
  raise_attention();
  expect<&services::clock_enter>().does([how](const lower::collective_start* start) {
    --start->clock->seq;
    return declare_line(how);
  });
  after_checkpoint([] { expect<&mpi_slots::MPI_Barrier>().gives(neutral::success); });
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
}

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "a thread that waits in MPI_Wait is parked, and its receive ends after the checkpoint") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    const many_callers callers;
    MPI_Request r = MPI_REQUEST_NULL;
    const auto started = expect_start<&services::irecv>();
    CHECK(MPI_Irecv(data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &r) == MPI_SUCCESS);
    std::promise<void> entered;
    expect_wait_of_other<&services::wait_some>(entered);
    always<&services::wait_some>().does([started](int n, auto* reals, neutral::status* statuses, int) {
      if (lower::the_bridge().attention.load() == 0)
        for (int i = 0; i < n; ++i) complete(reals[i], from_two);
      return take_completed(n, reals, statuses);
    });
    int rc = -1;
    MPI_Status status;
    {
      const other_thread waits([&] { rc = MPI_Wait(&r, &status); });
      entered.get_future().wait();
      if (how == outcome::restarts) expect_start<&services::irecv>();
      come_to_line(how);
    }
    CHECK(rc == MPI_SUCCESS);
    CHECK(r == MPI_REQUEST_NULL);
    check_from_two(status);
  }
  CHECK(parks() == 2);
}

TEST_CASE_FIXTURE(running_mpi,
                  "a thread that waits in MPI_Probe is parked, and finds what comes after the checkpoint") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    const many_callers callers;
    std::promise<void> entered;
    expect_wait_of_other<&services::probe>(entered);
    int rc = -1;
    MPI_Status status;
    {
      const other_thread waits([&] { rc = MPI_Probe(2, 7, MPI_COMM_WORLD, &status); });
      entered.get_future().wait();
      raise_attention();
      expect<&services::clock_enter>().does([how](const lower::collective_start* start) {
        --start->clock->seq;
        return declare_line(how);
      });
      after_checkpoint([] {
        arrive({lower::predefined(neutral::comm_world), 2, 7, "four"});
        expect<&mpi_slots::MPI_Barrier>().gives(neutral::success);
      });
      CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
    }
    CHECK(rc == MPI_SUCCESS);
    check_from_two(status);
    forget_network();
  }
  CHECK(parks() == 2);
}

TEST_CASE_FIXTURE(running_mpi, "a message that a drain has taken is one thread's alone, of two that want it") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    const many_callers callers;
    arrive({lower::predefined(neutral::comm_world), 2, 7, "four"});
    arrive({lower::predefined(neutral::comm_world), 2, 7, "five"});
    come_to_line(how);
    int rc = -1;
    {
      const other_thread receives([&] { rc = MPI_Recv(data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
      CHECK(MPI_Recv(data + 1, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    CHECK(rc == MPI_SUCCESS);
    CHECK(data[0] != data[1]);
  }
}

}  // namespace request_threads_tests
