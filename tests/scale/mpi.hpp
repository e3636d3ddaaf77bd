// The simulated MPI. A program gets `rank_calls`, and awaits what may block:
//
//   rank_program hello(rank_calls me) {
//     co_await me.compute(50'000);
//     if (me.rank() == 0) co_await me.send(1, 0, 42);
//     if (me.rank() == 1) co_await me.recv(0, 0);
//     co_await me.barrier(world);
//   }
//
// A send of at most `eager_bytes` is eager; any other, and ssend, ends when the receive is posted.
#pragma once
#include "clock_port.hpp"
#include "collectives.hpp"
#include "event_queue.hpp"
#include "messages.hpp"

#include <algorithm>
#include <functional>
#include <span>

namespace clock_scale {

struct mpi_costs {
  nanoseconds latency = 1000, hop = 1500;  // of a message; of each of a collective's log2(n) stages
  double ns_per_byte = 0.1;
  std::int64_t eager_bytes = 4096;
};

class rank_calls;

/// Ranks, their messages and collectives. What programs call is in rank_calls.hpp.
class mpi final : public event_handler {
 public:
  mpi(event_queue& queue, clock_port& port, int ranks, mpi_costs costs = {});

  using body = std::function<rank_program(rank_calls)>;
  /// Every rank's program begins now.
  void start(const body& program);
  int size() const noexcept { return static_cast<int>(ranks_.size()); }
  int ended() const noexcept { return ended_; }
  const group_table& groups() const noexcept { return groups_; }
  comm world() { return {world_, 0}; }

  // What the clock asks for.
  const std::vector<counted_group>& counts(int rank) const { return state(rank).counts; }
  /// A held collective may be judged again.
  void ask_again(int rank);
  /// From now on the rank's starts ask, and its waits are told: also the one that it is in.
  void begin_quiesce(int rank);

  // What operations are made of.
  request post_send(int from, int to, int tag, std::int64_t value, std::int64_t bytes, bool synchronous);
  request post_receive(int rank, int source, int tag);
  bool try_start(int rank, const collective_call& call, request& started);
  bool is_done(int rank, request r) const;
  /// in: it is done
  message take(int rank, request r);
  comm communicator_at(std::int64_t index);
  void wait_in(int rank, wait_operation& operation);
  void hold_in(int rank, collective_operation& operation);
  void resume_at(int rank, nanoseconds time);
  event_queue& queue() noexcept { return queue_; }

 private:
  enum class happening : std::uint8_t { resume, arrival, done, over };

  rank_state& state(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const rank_state& state(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  request_slot& slot(int rank, int number) { return state(rank).slots[static_cast<std::size_t>(number)]; }

  void on_event(std::uint64_t what) override;
  void push(nanoseconds time, happening what, std::uint64_t detail);
  void resume(int rank);
  void announce_wait(int rank);
  void arrives(std::uint64_t index);
  bool match(int rank, int receive, const envelope& e);
  void complete(int rank, int number);
  void is_over(collective_instance& c);
  request enter(int rank, const collective_call& call);
  void contribute(collective_instance& c, int rank, const collective_call& call);
  void make_communicators(collective_instance& c);
  communicator& new_communicator(group& of);
  void drop_finished(communicator& c);
  std::uint32_t& count_of(int rank, const group& g);
  int new_slot(int rank, request_slot::state now, message what);

  event_queue& queue_;
  clock_port& port_;
  const mpi_costs costs_;
  int ended_ = 0;
  group_table groups_;
  std::deque<communicator> communicators_;
  std::vector<std::uint32_t> released_;     // of communicators_
  std::vector<envelope> under_way_;
  std::vector<std::uint64_t> unused_;       // of under_way_
  communicator* world_ = nullptr;
  std::vector<rank_state> ranks_;           // last: programs end before what they use
};

}  // namespace clock_scale
