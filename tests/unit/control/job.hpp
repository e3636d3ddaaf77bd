// A job without MPI: each rank is a thread with a bridge of its own; collectives and messages go through memory. What
// the wrappers and the drain do around the services is done here in the same order.
#pragma once
#include <runtime/control/rank_control.hpp>

#include <mana/lower/signals.hpp>

#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mana::control_test {

class job;

/// Raised when something has come to pass that tests wait for: a commit, the end of a checkpoint, what a rank was told.
inline std::atomic<unsigned> events{0};
inline void tell_of_event() {
  ++events;
  events.notify_all();
}
/// Of what events make true.
template <class HasHappened>
void await(HasHappened has_happened) {
  for (unsigned seen = events; !has_happened(); seen = events) events.wait(seen);
}
/// A flag whose changes are events.
class told_flag {
 public:
  explicit told_flag(bool value) : value_(value) {}
  told_flag& operator=(bool value) {
    value_ = value;
    tell_of_event();
    return *this;
  }
  operator bool() const { return value_; }

 private:
  std::atomic<bool> value_;
};
/// Between two looks at what tells nobody, as a coordinator's status or the attention of a rank: nobody who waits takes a
/// processor from those who work.
inline void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

class rank {
 public:
  rank(job& owner, int number);
  int number() const noexcept { return number_; }

  void barrier(std::size_t group = 0);
  /// A collective that failed here, and that no other member calls.
  void barrier_alone(std::size_t group = 0) { ++clocks_[group].seq; }
  /// The one that failed was refused for its arguments: it was none.
  void retract(std::size_t group = 0);
  clock::request_number request() const noexcept { return bridge_.request_number; }
  bool at_line() const noexcept { return bridge_.current.load() == lower::phase::parking; }
  void send(int to, int value);
  int recv(int from);                       // -1: from anyone
  /// What the park signal does to a thread that computes. It is busy while a checkpoint comes, and rests before.
  void compute();
  bool asked() const noexcept { return (bridge_.attention.load() & lower::checkpoint_pending) != 0; }
  std::uint64_t started(std::size_t group) const noexcept { return clocks_[group].seq.load(); }
  /// As a signal does, or the program through mana/api.h.
  void ask(bool stop);
  /// As the trampoline of a handler does.
  void tell_of_end(int signal);
  /// Rank 0 decides whether the loops of all ranks go on.
  bool go_on();

  // What goes wrong here.
  std::atomic<bool> cannot_write{false}, cannot_drain{false}, drains_for_ever{false}, cannot_store{false}, never_parks{false},
      no_place{false},                    // on its node
      has_no_parity{false};               // which it warns of
  told_flag writes_slowly{false};         // until nobody wants it
  /// After never_parks: as a thread that parks at last.
  void let_park();
  // How checkpoints ended, by lower::outcome.
  std::atomic<int> ended_as[3] = {};
  std::atomic<int> told_stored{0}, told_lost{0}, told_on_nodes{0}, told_bases{0};      // of those that were stored while it ran
  std::atomic<int> signals{0};
  told_flag is_wanted{true};                // its image

 private:
  friend class job;
  struct stopped {};
  void run(const std::function<void(rank&)>& program);
  void finalize();
  void checkpoint();
  bool drain();
  lower::outcome store_aside(std::uint64_t generation);
  control::surroundings around();
  control::surroundings around_stage(control::stage where);

  job& job_;
  const int number_;
  lower::bridge bridge_{};
  lower::thread_block block_{};
  std::deque<vid::group_clock> clocks_;     // by group
  const control::handle requests_;
  std::thread aside_;                       // forked: writes
  control::rank_control control_{bridge_};
};

class job {
 public:
  struct options {
    std::vector<std::vector<int>> groups;   // members; group 0 is the world
    std::vector<std::size_t> communicators = {};      // those of them whose clock is of one communicator
    double interval_s = 0, limit_s = 0, stop_after_s = 0;
    std::string clock_trace = {};           // directory; empty: none
    int absent = -1;                        // a rank that the test plays itself, by where()
    std::string clock = {};                 // policy
    int fan_out = clock::default_fan_out;
    bool forked = false, local = false;
    unsigned copy_every = 1;
    std::function<void(rank&)> before = {};   // what ranks do before MPI_Init; empty: the job begins there
    std::function<void(rank&)> after = {};    // and after MPI_Finalize
    std::function<void(rank&)> start = {};    // and before they can be heard of
  };
  /// The ranks start at once. directory: of job.json
  job(std::string directory, options o, std::function<void(rank&)> program);
  ~job() { finish(); }
  /// Lets go_on() say no, and waits for the ranks' end.
  void finish();

  rank& at(int number) { return *ranks_[static_cast<std::size_t>(number)]; }
  int size() const { return static_cast<int>(options_.groups[0].size()); }
  const std::string& directory() const { return directory_; }
  /// As a rank hands its endpoint to a child, or has it from its parent; the test may do so for one that is absent.
  void pass(int from, int to, const void* bytes, int n);
  void take(int from, int to, void* bytes, int n);
  /// How the checkpoints of all ranks together ended.
  int ended_as(lower::outcome how) const;

  std::atomic<bool> asked_to_end{false};
  std::atomic<int> commits{0}, tidied{0}, abandoned{0}, inconsistent{0};
  /// Of the image of each rank r, which has 1000 + r bytes: what is done.
  std::atomic<std::uint64_t> done[8] = {};
  /// Forked: the processes that write wait until it is over.
  told_flag stores_slowly{false};
  std::vector<std::uint64_t> committed;   // generations; of the coordinator's thread until finish()
  std::function<void()> before_generation, before_commit;     // may throw what the surroundings may

 private:
  friend class rank;
  struct meeting {                          // one barrier of a group
    std::mutex lock;
    std::condition_variable changed;
    std::uint64_t entered = 0;
  };
  /// Enters the next one, and does not wait. out: it is over when so many have entered
  static std::uint64_t enter(meeting& m, std::uint32_t members);
  struct message { int from, value; };
  struct mailbox {
    std::mutex lock;
    std::deque<message> held;
  };

  struct letterbox {                        // of the runtime's own messages to a rank
    std::mutex lock;
    std::condition_variable changed;
    std::map<int, std::deque<char>> from;
  };

  void check_consistency();

  const std::string directory_;
  const options options_;
  std::deque<meeting> meetings_, trivial_;  // by group: barriers, trivial barriers
  std::deque<mailbox> mailboxes_;
  std::deque<letterbox> letterboxes_;
  std::barrier<> broadcast_;
  std::vector<char> broadcast_bytes_;
  std::uint64_t generation_ = 0;
  std::vector<std::unique_ptr<rank>> ranks_;
  std::vector<std::thread> threads_;
};

}  // namespace mana::control_test
