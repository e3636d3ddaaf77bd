// MPI_Request_get_status_all, _any and _some (MPI-4.1), called past mpi.h, which may not have them.
#include <running_mpi.hpp>

#include <mana/calls.hpp>

namespace request_get_status_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

int data[2];

struct two_receives {
  MPI_Request all[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::shared_ptr<real<kind::request>> below[2];
  two_receives() {
    for (int i = 0; i < 2; ++i) {
      below[i] = expect_start<&services::irecv>();
      CHECK(MPI_Irecv(data + i, 1, MPI_INT, 2 + i, 7, MPI_COMM_WORLD, all + i) == MPI_SUCCESS);
    }
  }
  void end(int i) { complete(*below[i], {2 + i, 7, neutral::success, 0, 4}); }
};

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "requests are looked at, and none ends") {
  two_receives r;
  MPI_Status s[3];
  int flag = 1, n = -1, index = -1, indices[3];
  CHECK(manual::request_get_status_any(3, r.all, &index, &flag, s) == MPI_SUCCESS);
  CHECK(flag == 0);
  CHECK(manual::request_get_status_some(3, r.all, &n, indices, s) == MPI_SUCCESS);
  CHECK(n == 0);
  r.end(1);
  CHECK(manual::request_get_status_all(3, r.all, &flag, s) == MPI_SUCCESS);
  CHECK(flag == 0);
  CHECK(manual::request_get_status_any(3, r.all, &index, &flag, s) == MPI_SUCCESS);
  CHECK(flag == 1);
  CHECK(index == 1);
  CHECK(s[0].MPI_SOURCE == 3);
  CHECK(manual::request_get_status_some(3, r.all, &n, indices, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(n == 1);
  CHECK(indices[0] == 1);
  r.end(0);
  for (int again = 0; again < 2; ++again) {
    CHECK(manual::request_get_status_all(3, r.all, &flag, s) == MPI_SUCCESS);
    CHECK(flag == 1);
    CHECK(s[0].MPI_SOURCE == 2);
    CHECK(s[1].MPI_SOURCE == 3);
    CHECK(s[1].MPI_ERROR == MPI_SUCCESS);
    CHECK(s[2].MPI_SOURCE == MPI_ANY_SOURCE);
  }
  CHECK(MPI_Waitall(3, r.all, s) == MPI_SUCCESS);
  CHECK(s[1].MPI_SOURCE == 3);
}

TEST_CASE_FIXTURE(running_mpi, "no active request among them: all are over, and there is none of them") {
  const MPI_Request none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status s[2];
  int flag = 0, n = 0, index = 0, indices[2];
  CHECK(manual::request_get_status_all(2, none, &flag, s) == MPI_SUCCESS);
  CHECK(flag == 1);
  CHECK(s[1].MPI_SOURCE == MPI_ANY_SOURCE);
  flag = 0;
  CHECK(manual::request_get_status_any(2, none, &index, &flag, s) == MPI_SUCCESS);
  CHECK(flag == 1);
  CHECK(index == MPI_UNDEFINED);
  CHECK(manual::request_get_status_some(2, none, &n, indices, s) == MPI_SUCCESS);
  CHECK(n == MPI_UNDEFINED);
}

TEST_CASE_FIXTURE(running_mpi, "a request that failed says so in its status, and in the call that ends it") {
  two_receives r;
  complete(*r.below[0], {2, 7, neutral::err_truncate, 0, 4});
  r.end(1);
  MPI_Status s[2];
  int flag = 0;
  CHECK(manual::request_get_status_all(2, r.all, &flag, s) == MPI_SUCCESS);
  CHECK(class_of(s[0].MPI_ERROR) == MPI_ERR_TRUNCATE);
  CHECK(s[1].MPI_ERROR == MPI_SUCCESS);
  check_error(MPI_Waitall(2, r.all, s), MPI_ERR_IN_STATUS);
}

TEST_CASE_FIXTURE(running_mpi, "a request that is over is an error, and so is a negative number") {
  two_receives r;
  const MPI_Request stale = r.all[0];
  r.end(0);
  r.end(1);
  CHECK(MPI_Waitall(2, r.all, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  int flag = 0, n = 0, at = 0;
  check_error(object::finish(manual::request_get_status_all(1, &stale, &flag, MPI_STATUSES_IGNORE)), MPI_ERR_REQUEST);
  check_error(object::finish(manual::request_get_status_any(1, &stale, &n, &flag, MPI_STATUS_IGNORE)), MPI_ERR_REQUEST);
  check_error(object::finish(manual::request_get_status_some(1, &stale, &n, &at, MPI_STATUSES_IGNORE)), MPI_ERR_REQUEST);
  check_error(object::finish(manual::request_get_status_all(-1, &stale, &flag, MPI_STATUSES_IGNORE)), MPI_ERR_COUNT);
}

}  // namespace request_get_status_tests
