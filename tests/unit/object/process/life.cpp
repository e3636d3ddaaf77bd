// MPI_Init and MPI_Finalize: a checkpoint in their waits. MPI begins once in a process, so each of these is one of its
// own.
#include <each_way.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace process_life_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

/// Runs a test that is left out otherwise in another process of this program.
bool holds_alone(const char* name) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string which = std::string("--test-case=") + name;
    execl("/proc/self/exe", "unit_object", which.c_str(), "--no-skip", "--minimal", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
/// The next so many looks of those who begin or end MPI find the line; later ones that all are there.
void expect_lines(int lines, outcome how) {
  expect<&services::clock_ending>(lines).does([how] {
    raise_attention();
    return declare_line(how);
  });
}
int starts(int, int* provided) {
  lower::bridge& b = lower::the_bridge();
  b.world_size = world_size;
  b.world_rank = own_rank;
  *provided = neutral::thread_multiple;
  return neutral::success;
}

}  // namespace

TEST_CASE("ranks that wait for each other in MPI_Init and MPI_Finalize are saved there") {
  CHECK(holds_alone("alone: a checkpoint in MPI_Init"));
  CHECK(holds_alone("alone: a checkpoint in MPI_Finalize"));
  CHECK(holds_alone("alone: an MPI that does not start*"));
  CHECK(holds_alone("alone: MPI_Finalize waits for sends*"));
  CHECK(holds_alone("alone: the live MPI's error in MPI_Finalize"));
}

TEST_CASE("alone: an MPI that does not start is told, and there is none" * doctest::skip()) {
  attach();
  int provided = 0, flag = 1;
  expect<&services::init>().gives(int{neutral::err_other});
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  CHECK(aborted_with() == int{neutral::err_other});
  CHECK(MPI_Initialized(&flag) == MPI_SUCCESS);
  CHECK(flag == 0);
  end_of_script();
}

TEST_CASE("alone: a checkpoint in MPI_Init" * doctest::skip()) {
  attach();
  for (const outcome how : {outcome::resumes, outcome::restarts}) expect_lines(1, how);
  CHECK(MPI_Init(nullptr, nullptr) == MPI_SUCCESS);
  CHECK(parks() == 2);
  expect<&mpi_slots::MPI_Barrier>().gives(neutral::success);  // with the handle of the process that goes on
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Finalize() == MPI_SUCCESS);
  end_of_script();
}

TEST_CASE("alone: a checkpoint in MPI_Finalize" * doctest::skip()) {
  attach();
  int provided = 0, flag = 0;
  expect<&services::init>().does(starts);
  CHECK(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  int n = 0;
  for (const outcome how : all_ways) expect_lines(1, how), ++n;
  CHECK(MPI_Finalize() == MPI_SUCCESS);
  CHECK(parks() == n);
  CHECK(MPI_Finalized(&flag) == MPI_SUCCESS);
  CHECK(flag == 1);
  CHECK(calls<&services::finalize>().size() == 1);
  end_of_script();
}

TEST_CASE("alone: MPI_Finalize waits for sends that nobody waits for, and parks meanwhile" * doctest::skip()) {
  attach();
  CHECK(MPI_Init(nullptr, nullptr) == MPI_SUCCESS);
  int data = 0;
  MPI_Request r = MPI_REQUEST_NULL;
  expect_start<&services::isend>();
  CHECK(MPI_Isend(&data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &r) == MPI_SUCCESS);
  CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
  // The first look finds it pending; then the line is declared, whose drain completes it.
  expect<&services::test_some>().does([](int n, auto* reals, neutral::status* statuses) {
    raise_attention();
    declare_line(outcome::restarts);
    return take_completed(n, reals, statuses);
  });
  CHECK(MPI_Finalize() == MPI_SUCCESS);
  CHECK(parks() == 1);
  CHECK(pending_requests() == 0);
  end_of_script();
}

TEST_CASE("alone: the live MPI's error in MPI_Finalize" * doctest::skip()) {
  attach();
  CHECK(MPI_Init(nullptr, nullptr) == MPI_SUCCESS);
  expect<&services::finalize>().gives(int{neutral::err_intern});
  MPI_Finalize();
  CHECK(aborted_with() == int{neutral::err_intern});
  end_of_script();
}

}  // namespace process_life_tests
