// A job in one thread that leaves traces: ranks that start collectives and wait now and then, by chance.
#pragma once
#include "part.hpp"

#include <random>

namespace clock_replay {

class simulation {
 public:
  struct options {
    std::string policy = "needs";
    int ranks = 3, requests = 4, fan_out = mana::clock::default_fan_out;
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
  /// The coordinator, or a relay: one of the clocks.
  struct owner {
    std::unique_ptr<mana::control::coordinator_clock> coordinator;
    std::unique_ptr<mana::control::relay_clock> relay;
    std::vector<link*> links;
    link* up = nullptr;
  };

  void make_owner(const std::filesystem::path& directory, int process, const makers& make);
  void request();
  void quiesce(bool give_up);
  void end_request();
  void run_freely();
  bool anything();
  bool start(int r);
  bool arrive_at_rank(int r);
  bool arrive_from_below(owner& o, std::size_t l);
  bool arrive_from_above(owner& o);
  bool arrive_at_some_owner();
  void settle(owner& o);
  bool wait(int r);
  bool all_heard() const;
  unsigned below(std::size_t n) { return static_cast<unsigned>(chance_() % n); }

  const options options_;
  std::mt19937 chance_;
  std::vector<group> groups_;
  std::vector<std::size_t> order_;  // groups of the program's collectives: the same for all members
  std::vector<link> links_;         // from each rank upwards
  std::map<int, link> relay_links_;  // from each relay, by process
  std::vector<rank> ranks_;
  std::map<int, owner> owners_;     // by process: parents first
};

}  // namespace clock_replay
