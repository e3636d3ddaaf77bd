// A rank's part in checkpoints: the services of the boundary that wait for, hold and release the program. Also the
// agent, the thread that listens to the control network.
#pragma once
#include <runtime/control/clock_parts.hpp>
#include <runtime/control/connection.hpp>
#include <runtime/control/network.hpp>
#include <runtime/control/surroundings.hpp>
#include <runtime/control/unheard.hpp>

#include <mana/lower/abi.hpp>

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace mana::control {

class rank_control {
 public:
  explicit rank_control(lower::bridge& b = lower::the_bridge()) noexcept;
  ~rank_control();

  /// Starts the agent and the process's part of the control network. Ends those of a stage whose ranks find each other
  /// by a file. Collective, and MPI runs, except in such a stage.
  /// errors: std::system_error if the ranks cannot reach each other
  void begin(const surroundings& s);
  /// Joins the threads. Call after ending() returned done.
  void end();
  /// The process exits. If MPI runs, the others treat this rank as gone.
  void leave() noexcept;
  /// The calling thread is about to execute another program, which may fail. what: "has become …"
  void about_to_become(const std::string& what);

  // Services of the boundary; see their members in lower/abi.hpp. Any thread, several at once.
  lower::wait_end clock_enter(const lower::collective_start& start);
  void clock_retract();
  lower::wait_end clock_wait(const int* world_ranks, int n);
  void clock_wait_end();
  /// One poll of the wait for all ranks to reach MPI_Finalize, or MPI_Init before the live MPI starts. In MPI_Init the
  /// call sleeps a little, and waits for nobody if some ranks have not found each other.
  /// out: done, attention (park, then ask again), or nothing
  std::optional<lower::wait_end> ending();

  /// Returns when all threads of all ranks are parked, or (0) when the checkpoint was given up.
  int park_others();
  // The drain, between park_others() and the image, on the initial thread.
  /// Number of drains that the job has begun: the same on each rank while it drains.
  std::uint64_t drains();
  /// Between two polls of the drain: whether to continue, and whether to report what the rank waits for.
  lower::drain_order drain_turn();
  /// what: text that follows the rank's name ("waits for …")
  void drain_waits(const std::string& what);
  void drained();
  /// Returns when the checkpoint is given up. why: empty: another rank gave it up
  void not_drained(const std::string& why);
  /// Valid after park_others().
  commit_info generation();
  /// Whether a process of its own must write the image. Valid after park_others().
  bool forked();
  /// Whether the image goes to this rank's node. Valid after park_others().
  bool local();
  /// Whether the image goes to the directory of checkpoints, now or through the node. Valid after park_others().
  bool copies();
  /// The image is durable on the node. Any thread; does not wait.
  void on_node();
  /// A process of its own, or the node, holds the memory. Returns when that holds on all ranks, or the checkpoint was
  /// given up. In the first case the program may continue, and stored() must follow.
  lower::outcome copied();
  /// The result of the process that writes. Any thread; does not wait.
  void stored(rank_result result);
  /// The coordinator's verdict on all ranks' images.
  lower::outcome written(const rank_written& image);
  lower::outcome not_written(const std::string& why);
  bool stop_asked();
  /// The checkpoint is over for this rank: its threads run again.
  void release();

 private:
  void run_agent();
  int sleep_ms();
  bool find_coordinator();
  void lose_coordinator();
  bool join_again(std::unique_lock<std::mutex>& hold);
  std::optional<lower::wait_end> leave_alone(std::unique_lock<std::mutex>& hold);
  void end_by_file();
  void end_network();
  void wake_agent() noexcept;
  void on_requests();
  void on_end_signal();
  void tell_of_end(int signal);
  void on_frame(frame_reader& frame);
  void on_requested(clock::request_number number);
  void on_line();
  void say_unparked();
  void tell_waits(const std::string& what);
  std::chrono::steady_clock::duration report_period() const;
  void on_verdict(verdict_kind verdict, bool stop, bool on_nodes);
  void on_silence();
  void start_quiesce(clock::request_number number);
  void let_go();
  template <class IsOver> void wait_making_progress(std::unique_lock<std::mutex>& hold, IsOver is_over);
  void wait_held(std::unique_lock<std::mutex>& hold);
  bool pass_barrier(std::unique_lock<std::mutex>& hold, const lower::collective_start& start);
  lower::outcome tell_result(rank_result result);
  void tell_written(rank_result result);
  lower::outcome await_verdict(std::unique_lock<std::mutex>& hold);
  std::vector<clock::group_count> read_clocks() const;
  void tell(const bytes& frame);
  void take_frames();

  lower::bridge& bridge_;
  surroundings around_;
  std::mutex lock_;                       // protects all members below
  std::condition_variable changed_;
  std::unique_ptr<rank_clock> clock_;
  std::unique_ptr<connection> line_;
  unheard unheard_;                       // over line_, where it is not by_file
  std::unique_ptr<network> network_;
  std::thread agent_;
  handle wake_;                           // eventfd: the agent looks whether it must stop
  std::optional<coordinator_memory> memory_;      // of rank 0: from the stage before
  std::uint64_t numbers_before_ = 0;      // requests of the stages before: the program sees one sequence
  bool begun_ = false, said_ending_ = false, all_ending_ = false;
  bool stopping_ = false;                 // the agent's thread must stop
  bool stands_ = true;                    // all ranks are connected, and wait for each other at the end of this stage
  std::optional<std::chrono::steady_clock::time_point> came_;      // when it came to the end of this stage
  bool left_ = false;                     // it has continued without waiting
  handle changes_of_file_;                // inotify: of the directory of the job's file, if ranks find each other by it
  bool was_lost_ = false;                 // the coordinator; used by the agent's thread alone
  bool said_word_ = false;                // the coordinator knows what this process is about to become
  bool released_ = true;                  // no checkpoint holds this rank
  clock::request_number number_ = 0;      // of the last request whose quiesce began
  clock::request_number pending_ = 0;     // a request that came before the last checkpoint was released; 0: none
  bool retracted_ = false;                // a start in the last request's counts was refused: that request will fail
  bool in_checkpoint_ = false;            // the initial thread is between park_others() and release()
  bool proceed_ = false, verdict_known_ = false, committed_ = false, stop_ = false;
  std::uint64_t drains_ = 0;
  std::chrono::steady_clock::time_point next_report_{};
  bool waits_ = false;                  // next_report_ is set for this drain
  bool said_unparked_ = false;          // for this line
  std::string last_report_;
  commit_info generation_;
  bool forked_ = false, local_ = false, copies_ = true;   // the coordinator's choice for the checkpoint
  bool runs_on_ = false;                // stored() must be told of the checkpoint
  clock::request_number stored_number_ = 0;     // of the checkpoint whose image is being written
  std::map<const vid::group_clock*, real<kind::request>> barriers_;   // trivial barriers of this rank
};

}  // namespace mana::control
