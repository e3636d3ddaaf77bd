// A job in one thread that leaves traces: ranks that start collectives and wait now and then, by chance.
#pragma once
#include "part.hpp"

#include <random>

namespace clock_replay {

class simulation {
 public:
  struct options {
    std::string policy = "needs";
    int ranks = 3, requests = 4;
    bool give_up_some = true;  // of the requests, at any moment
    bool killed = false;       // before the last line is over: no trace has its end
    unsigned seed = 1;
  };
  /// directory: of the traces
  simulation(std::filesystem::path directory, options o, const makers& make = {});
  ~simulation();
  void run();

 private:
  struct group {
    mana::clock::group_name name;
    mana::clock::rank_set members;
  };
  struct rank {
    std::unique_ptr<mana::control::rank_clock> clock;
    std::vector<std::uint64_t> counts;  // by group
    std::size_t next = 0;               // of order_
    std::uint64_t held_at = 0;          // changes() when it was held
    bool held = false, waits = false, released = true;
  };

  void request();
  void quiesce(bool give_up);
  void end_request();
  void run_freely();
  bool anything();
  bool start(int r);
  bool arrive_at_rank(int r);
  bool arrive_at_coordinator(int r);
  bool wait(int r);
  bool all_heard() const;
  unsigned below(std::size_t n) { return static_cast<unsigned>(chance_() % n); }

  const options options_;
  std::mt19937 chance_;
  std::vector<group> groups_;
  std::vector<std::size_t> order_;  // groups of the program's collectives: the same for all members
  std::vector<link> links_;
  std::vector<rank> ranks_;
  std::unique_ptr<mana::control::coordinator_clock> coordinator_;
};

}  // namespace clock_replay
