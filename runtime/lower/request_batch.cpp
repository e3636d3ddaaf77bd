#include <runtime/lower/request_batch.hpp>

namespace mana::real_mpi {

namespace {
std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

MPI_Status no_status() noexcept {
  MPI_Status empty{};
  empty.MPI_SOURCE = MPI_ANY_SOURCE;
  empty.MPI_TAG = MPI_ANY_TAG;
  return empty;
}
}  // namespace

request_batch::request_batch(int n, real<kind::request>* requests, neutral::status* statuses)
    : n_(n), requests_(requests), statuses_(statuses), reals_(at(n)), real_statuses_(at(n)), indices_(at(n)) {
  for (int i = 0; i < n; ++i) {
    reals_[at(i)] = MPI_REQUEST_NULL;
    if (!requests[i]) continue;
    if (requests[i] == null_receive) {
      requests[i] = {};
      statuses[i] = null_receive_status;
      ++completed_;
      continue;
    }
    reals_[at(i)] = to_mpi(requests[i]);
    // If this MPI completed an operation at its start, there may be no request, and Testsome would skip it.
    if (reals_[at(i)] == MPI_REQUEST_NULL) retire(i, no_status(), neutral::success);
  }
}

/// After an error that no status explains: retires the requests that MPI itself retired, with that error.
void request_batch::retire_gone(int error) {
  for (int i = 0; i < n_; ++i) {
    if (requests_[i] && reals_[at(i)] == MPI_REQUEST_NULL) retire(i, no_status(), neutral_error(error));
  }
}

int request_batch::test_some() {
  int count = 0;
  const int rc = PMPI_Testsome(n_, reals_.data(), &count, indices_.data(), real_statuses_.data());
  int class_ = MPI_SUCCESS;
  if (rc != MPI_SUCCESS) PMPI_Error_class(rc, &class_);
  // MPI_UNDEFINED: no request was active. An error other than MPI_ERR_IN_STATUS means that the array itself is invalid.
  if (rc != MPI_SUCCESS && class_ != MPI_ERR_IN_STATUS) {
    retire_gone(rc);
    return completed_;
  }
  for (int k = 0; k < count; ++k) {
    const MPI_Status& status = real_statuses_[at(k)];
    const int error = rc == MPI_SUCCESS ? MPI_SUCCESS : status.MPI_ERROR;
    retire(indices_[at(k)], status, error == MPI_SUCCESS ? int{neutral::success} : neutral_error(error));
  }
  return completed_;
}

void request_batch::retire(int i, const MPI_Status& status, int error) {
  if (!requests_[i]) return;
  requests_[i] = {};
  reals_[at(i)] = MPI_REQUEST_NULL;
  set_status(&statuses_[i], status, error);
  ++completed_;
}

}  // namespace mana::real_mpi
