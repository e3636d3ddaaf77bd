// What a rank's program calls, and awaits.
#pragma once
#include "mpi.hpp"

namespace clock_scale {

class compute_operation {
 public:
  compute_operation(mpi& world, int rank, nanoseconds time) : world_(world), rank_(rank), time_(time) {}
  bool await_ready() const noexcept { return time_ <= 0; }
  void await_suspend(rank_program::handle) { world_.resume_at(rank_, world_.queue().now() + time_); }
  void await_resume() const noexcept {}

 private:
  mpi& world_;
  int rank_;
  nanoseconds time_;
};

/// Until all of these requests are done.      out: of the last one, its message
class wait_operation {
 public:
  wait_operation(mpi& world, int rank, request one) : world_(&world), rank_(rank), one_(one) {}
  wait_operation(mpi& world, int rank, std::span<const request> all) : world_(&world), rank_(rank), all_(all) {}

  bool await_ready() const {
    return std::all_of(list().begin(), list().end(), [this](request r) { return world_->is_done(rank_, r); });
  }
  void await_suspend(rank_program::handle) { world_->wait_in(rank_, *this); }
  message await_resume() {
    message last;
    for (const request r : list()) last = world_->take(rank_, r);
    return last;
  }
  std::span<const request> list() const noexcept { return all_.data() != nullptr ? all_ : std::span(&one_, 1); }

 private:
  mpi* world_;
  int rank_;
  request one_;
  std::span<const request> all_;
};

/// Starts a collective, perhaps after having been held; a blocking one: until it is over.
class collective_operation {
 public:
  collective_operation(mpi& world, int rank, const collective_call& call)
      : wait_(world, rank, request{}), world_(world), rank_(rank), call_(call) {}

  bool await_ready() { return try_start() && may_go_on(); }
  void await_suspend(rank_program::handle) {
    if (started_) world_.wait_in(rank_, wait_);
    else world_.hold_in(rank_, *this);
  }
  /// out: false: it is held
  bool try_start() {
    request made;
    started_ = world_.try_start(rank_, call_, made);
    if (started_) wait_ = {world_, rank_, made};
    return started_;
  }
  /// in: it was started
  bool may_go_on() const { return !call_.blocking || wait_.await_ready(); }
  wait_operation& wait() noexcept { return wait_; }

 protected:
  comm made_comm() { return world_.communicator_at(wait_.await_resume().value); }
  wait_operation wait_;

 private:
  mpi& world_;
  int rank_;
  bool started_ = false;
  collective_call call_;
};

struct blocking_collective : collective_operation {
  using collective_operation::collective_operation;
  std::int64_t await_resume() { return wait_.await_resume().value; }
};
struct started_collective : collective_operation {
  using collective_operation::collective_operation;
  request await_resume() const { return wait_.list().front(); }
};
struct splitting : collective_operation {
  using collective_operation::collective_operation;
  comm await_resume() { return made_comm(); }
};

class rank_calls {
 public:
  rank_calls(mpi& world, int rank) : world_(&world), rank_(rank) {}
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return world_->size(); }
  comm world() const { return world_->world(); }

  compute_operation compute(nanoseconds time) const { return {*world_, rank_, time}; }

  request isend(int to, int tag, std::int64_t value = 0, std::int64_t bytes = 8) const {
    return world_->post_send(rank_, to, tag, value, bytes, false);
  }
  request issend(int to, int tag, std::int64_t value = 0) const {
    return world_->post_send(rank_, to, tag, value, 8, true);
  }
  request irecv(int from, int tag) const { return world_->post_receive(rank_, from, tag); }
  wait_operation send(int to, int tag, std::int64_t value = 0, std::int64_t bytes = 8) const {
    return wait(isend(to, tag, value, bytes));
  }
  wait_operation ssend(int to, int tag, std::int64_t value = 0) const { return wait(issend(to, tag, value)); }
  wait_operation recv(int from, int tag) const { return wait(irecv(from, tag)); }
  wait_operation recv_any(int tag) const { return recv(anyone, tag); }
  wait_operation wait(request r) const { return {*world_, rank_, r}; }
  wait_operation wait_all(std::span<const request> all) const { return {*world_, rank_, all}; }

  // Collectives. root: a world rank
  blocking_collective barrier(comm& c) const { return {*world_, rank_, {.on = &c}}; }
  blocking_collective allreduce(comm& c, std::int64_t value = 0) const {
    return {*world_, rank_, {.on = &c, .value = value}};
  }
  blocking_collective bcast(comm& c, int root, std::int64_t value = 0) const {
    return {*world_, rank_, {.on = &c, .kind = collective_kind::from_root, .root = root, .value = value}};
  }
  blocking_collective reduce(comm& c, int root, std::int64_t value = 0) const {
    return {*world_, rank_, {.on = &c, .kind = collective_kind::to_root, .root = root, .value = value}};
  }
  started_collective ibarrier(comm& c) const { return {*world_, rank_, {.on = &c, .blocking = false}}; }
  started_collective iallreduce(comm& c, std::int64_t value = 0) const {
    return {*world_, rank_, {.on = &c, .blocking = false, .value = value}};
  }
  /// out: the communicator of those with the same colour; none where it is negative
  splitting split(comm& c, int color) const {
    return {*world_, rank_, {.on = &c, .kind = collective_kind::split, .value = color}};
  }
  blocking_collective free(comm& c) const { return {*world_, rank_, {.on = &c, .kind = collective_kind::free}}; }

 private:
  mpi* world_;
  int rank_;
};

}  // namespace clock_scale
