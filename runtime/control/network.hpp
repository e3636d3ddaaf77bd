// A process's place in the control network of its job: the coordinator or a relay, where it has one, and to whom its
// agent speaks.
#pragma once
#include <runtime/control/clock_trace.hpp>
#include <runtime/control/connection.hpp>
#include <runtime/control/surroundings.hpp>

#include <future>
#include <memory>
#include <optional>
#include <thread>

namespace mana::control {

class network {
 public:
  /// Collective; MPI runs, or ranks find each other by the job's file. A directory that cannot be written is no error: a warning, and requests are answered with
  /// the reason.      s: stays
  /// errors: std::system_error if a process cannot reach its parent
  explicit network(const surroundings& s);
  ~network();

  const traced_job& job() const noexcept { return job_; }
  /// The agent's connection. It has said hello.      errors: std::system_error
  std::unique_ptr<connection> connect() const;
  /// The same, by the job's file. Any thread.          out: empty if that leads to no coordinator just now
  std::unique_ptr<connection> find() const;
  /// What find() gave is of no use any more. Its socket is.
  void give_back(std::unique_ptr<connection> line) const noexcept;
  /// Of rank 0, nothing elsewhere: the coordinator says its last words and ends, since another follows or the process ends.
  void close_coordinator(bool process_ends);
  /// Waits for the threads, which end when the program does, and removes the job's file unless another network follows.
  /// out: of rank 0: what the next coordinator is to know
  std::optional<coordinator_memory> end();

 private:
  template <class Value>
  using shared_promise = std::shared_ptr<std::promise<Value>>;

  void start_coordinator();
  void run_coordinator(int orders, shared_promise<endpoint> where);
  void say_where(const endpoint& where) const;
  void start_relay(const clock::rank_range& range);
  void run_relay(const clock::rank_range& range, const endpoint& parent, shared_promise<endpoint> where, shared_promise<void> up);

  const surroundings& around_;
  traced_job job_;
  endpoint peer_;       // to whom the agent speaks: the process's own relay or coordinator, or the parent's
  std::unique_ptr<connection> orders_;  // to the coordinator
  mutable handle spare_;                // a socket to find the coordinator by
  std::thread thread_;                  // of the coordinator or relay, which live in it, with a table of descriptors of its own: INV-87
  std::optional<coordinator_memory> memory_;      // what the coordinator left, when the thread has ended
};

}  // namespace mana::control
