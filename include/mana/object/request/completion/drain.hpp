// Requests in a drain. Completed ones are retired, and their statuses wait for the program.
#pragma once
#include <mana/drain/turn.hpp>
#include <mana/object/comm/in_words.hpp>
#include <mana/object/request/pool.hpp>

#include <utility>

namespace mana::object {

/// Requests that are tested in one visit to the lower half, which makes progress once for all of them. A batch has no
/// more than fit without malloc. Receives and sends are never in one batch. For example, the two parts of an
/// MPI_Isendrecv must not be tested together: the first to be retired takes the other's place.
class test_batch {
 public:
  void add(request_entry& e) noexcept {
    entries_[n_] = &e;
    reals_[n_] = e.real;
    statuses_[n_] = {};
    if (++n_ == most) test();
  }
  void test() noexcept {
    const lower::services& s = *lower::the_bridge().service;
    const int n = std::exchange(n_, 0);
    if (n > 0) lower::cross([&] { return s.test_some(n, reals_, statuses_); });
    for (int i = 0; i < n; ++i) {
      if (reals_[i]) {
        ++pending_;
        continue;
      }
      retire(*entries_[i], statuses_[i]);
      // A message that is too long is the program's error, and reported to it. Other errors may have lost a message.
      if (const int error = statuses_[i].error; error != neutral::success && error != neutral::err_truncate)
        error_ = error, on_ = entries_[i]->what.messages;
    }
  }
  int pending() const noexcept { return pending_; }
  /// The neutral class of an operation that failed in a way that MPI does not allow.
  int error() const noexcept { return error_; }
  const traffic* on() const noexcept { return on_; }

 private:
  static constexpr int most = 64;
  int n_ = 0, pending_ = 0, error_ = neutral::success;
  const traffic* on_ = nullptr;
  request_entry* entries_[most];
  real<kind::request> reals_[most];
  neutral::status statuses_[most];
};

/// Tests every active request for which `wanted` is true, once.
/// judge: is told errors      out: how many of them are still pending
template <class Wanted>
inline int test_requests(Wanted&& wanted, drain::progress* judge = nullptr) noexcept {
  test_batch batch;
  vid::table<kind::request>().for_each_unordered([&](request_entry& e) {
    if (e.what.state == request_stage::active && e.real && wanted(e.what)) batch.add(e); });
  batch.test();
  if (judge != nullptr) judge->check(batch.error(), "MPI_Test", batch.on());
  return batch.pending();
}

inline bool is_collective(const descriptor<kind::request>& r) noexcept {
  return r.is_collective();
}
/// MPI_Rput and its relatives, whose windows are flushed before.
inline bool is_one_sided(const descriptor<kind::request>& r) noexcept { return r.is_one_sided(); }
inline bool is_receive(const descriptor<kind::request>& r) noexcept {
  return r.form == request_form::recv || r.form == request_form::matched_recv;
}
inline bool is_send(const descriptor<kind::request>& r) noexcept {
  return r.form == request_form::send || r.form == request_form::buffered;
}

}  // namespace mana::object
