// A process's place in the control network of its job: the coordinator or a relay, if it has one, and the peer of its
// agent.
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
  /// Collective. MPI runs, or ranks find each other by the job's file. If the directory cannot be written, mana warns,
  /// and requests are refused with that reason.      s: must outlive the network
  /// errors: std::system_error if a process cannot reach its parent
  explicit network(const surroundings& s);
  ~network();

  const traced_job& job() const noexcept { return job_; }
  /// The agent's connection, after its hello.      errors: std::system_error
  std::unique_ptr<connection> connect() const;
  /// The same, by the job's file. Any thread.          out: empty if the file leads to no coordinator now
  std::unique_ptr<connection> find() const;
  /// The connection of find() is no longer useful. Its socket is used again.
  void give_back(std::unique_ptr<connection> line) const noexcept;
  /// On rank 0 the coordinator sends its last frames and ends, because another follows or the process ends. Elsewhere
  /// does nothing.
  void close_coordinator(bool process_ends);
  /// Waits for the threads, which end with the program. Removes the job's file unless another network follows.
  /// out: on rank 0: what the next coordinator must know
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
  endpoint peer_;       // the agent's peer: the process's own relay or coordinator, or the parent's
  std::unique_ptr<connection> orders_;  // to the coordinator
  mutable handle spare_;                // a socket for connections to the coordinator
  std::thread thread_;                  // of the coordinator or relay, with a table of descriptors of its own: INV-87
  std::optional<coordinator_memory> memory_;      // left by the coordinator when the thread has ended
};

}  // namespace mana::control
