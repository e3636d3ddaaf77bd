// Requests that the program itself completes: plain data, which a checkpoint leaves alone.
#include <running_mpi.hpp>

#include <thread>

namespace request_generalized_tests {

using namespace mana;
using namespace mana::scripted;

namespace {
struct heard_calls { int query = 0, free = 0, cancel = 0, fails_with = MPI_SUCCESS; };
int query(void* extra, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, 3);
  MPI_Status_set_cancelled(status, 0);
  ++static_cast<heard_calls*>(extra)->query;
  return MPI_SUCCESS;
}
int free_it(void* extra) { return ++static_cast<heard_calls*>(extra)->free, static_cast<heard_calls*>(extra)->fails_with; }
int cancel(void* extra, int) { return ++static_cast<heard_calls*>(extra)->cancel, MPI_SUCCESS; }
MPI_Request begin(heard_calls& heard) {
  MPI_Request r = MPI_REQUEST_NULL;
  CHECK(MPI_Grequest_start(query, free_it, cancel, &heard, &r) == MPI_SUCCESS);
  return r;
}
}  // namespace

TEST_CASE_FIXTURE(running_mpi, "a wait for one parks in its sleep, and ends when the program completes it") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    heard_calls heard;
    MPI_Request r = begin(heard);
    // The wait asks the live MPI for progress: then the checkpoint comes, and later the program completes the request.
    expect<&services::probe>().does([how] {
      raise_attention();
      declare_line(how);
      return int{neutral::success};
    });
    after_checkpoint([&] { CHECK(MPI_Grequest_complete(r) == MPI_SUCCESS); });
    MPI_Status status;
    CHECK(MPI_Wait(&r, &status) == MPI_SUCCESS);
    int n = 0;
    CHECK(MPI_Get_count(&status, MPI_INT, &n) == MPI_SUCCESS);
    CHECK(n == 3);
    CHECK(heard.query == 1);
    CHECK(heard.free == 1);
  }
  CHECK(parks() == 2);
}

TEST_CASE_FIXTURE(running_mpi, "one that is freed first ends with its completion, whose result is free_fn's") {
  heard_calls heard;
  MPI_Request r = begin(heard);
  const MPI_Request kept = r;
  CHECK(MPI_Request_free(&r) == MPI_SUCCESS);
  CHECK(heard.free == 0);
  heard.fails_with = MPI_ERR_INTERN;
  check_error(MPI_Grequest_complete(kept), MPI_ERR_INTERN);
  CHECK(heard.free == 1);
  check_error(MPI_Grequest_complete(kept), MPI_ERR_REQUEST);
}

TEST_CASE_FIXTURE(running_mpi, "cancel_fn is called, and the request goes on until it is complete") {
  heard_calls heard;
  MPI_Request r = begin(heard);
  CHECK(MPI_Cancel(&r) == MPI_SUCCESS);
  CHECK(heard.cancel == 1);
  CHECK(MPI_Grequest_complete(r) == MPI_SUCCESS);
  CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(heard.query == 1);
}

}  // namespace request_generalized_tests
