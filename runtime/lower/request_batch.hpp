// An array of requests in the form for this MPI's Testsome.
#pragma once
#include <runtime/lower/convert.hpp>

#include <mana/lower/abi.hpp>

#include <cstddef>
#include <memory>

namespace mana::real_mpi {

/// Memory of n elements: on the stack if they are few, as usual, else on the lower half's heap.
template <class T, std::size_t Few = 64>
class scratch {
 public:
  explicit scratch(std::size_t n) : more_(n > Few ? std::make_unique_for_overwrite<T[]>(n) : nullptr) {}
  T* data() noexcept { return more_ ? more_.get() : few_; }
  T& operator[](std::size_t i) noexcept { return data()[i]; }

 private:
  T few_[Few];
  std::unique_ptr<T[]> more_;
};

/// INV-15 a request that MPI retired is none in the caller's array, with status and error set, before a member returns.
/// No completion is lost, whatever MPI_ERR_IN_STATUS reports about other requests.
class request_batch {
 public:
  /// requests: real[n], none = skip; statuses: status[n]. The caller owns both, and they outlive the batch.
  request_batch(int n, real<kind::request>* requests, neutral::status* statuses);

  /// Number of requests that have completed so far.
  int completed() const noexcept { return completed_; }

  /// Retires the requests that are complete now. out: completed()
  int test_some();

 private:
  void retire(int i, const MPI_Status& status, int error);
  void retire_gone(int error);

  int n_;
  int completed_ = 0;
  real<kind::request>* requests_;
  neutral::status* statuses_;
  scratch<MPI_Request> reals_;
  scratch<MPI_Status> real_statuses_;
  scratch<int> indices_;
};

}  // namespace mana::real_mpi
