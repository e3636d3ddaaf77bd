// Ranks with programs, a clock each, and the messages between them and the coordinator: nothing moves unless a test or
// chance says so.
#pragma once
#include <mana/clock/host.hpp>
#include <mana/clock/needs.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <random>

namespace clock_test {

using namespace mana::clock;

/// What a test may take away from the protocol, to show that it is needed.
struct mutation {
  bool drop_raises = false, drop_needs = false;
  bool ignore_versions = false;    // any report counts as one of the newest version
};

// On the way up and down: the policy's messages, and what the hosts and the control say.
struct answered { request_number number; };
struct requested { request_number number; };
struct line_declared {};
struct over {};                    // the checkpoint is over, or was given up
using upward = std::variant<answered, needs::up>;
using downward = std::variant<requested, needs::down, line_declared, over>;

/// A program's step.
/// 'C': collective on group a, ends when all members have started it; 'E': ends when the first member has;
/// 'I': ends at once (non-blocking). 'S': eager send, 'Y': synchronous send, to thread `thread` of rank a.
/// 'R': receive from thread `thread` of rank a; 'A': receive from anyone
struct op { char kind; int a; int thread = 0; };
using program = std::vector<op>;
using group = rank_set;
struct script {
  std::vector<std::vector<program>> programs;    // by rank, by thread; a group is used by one thread of each rank
  std::vector<group> groups;
};

struct up_queue;

class world {
 public:
  explicit world(script s, mutation m = {});

  // The coordinator
  void request() { coordinator_.request(); }
  void give_up() { conclude(); }
  /// After the line: the checkpoint is over. Each rank runs on when it has heard it, and was released.
  void conclude();
  bool at_line() const { return coordinator_.done(); }
  std::string who_is_behind() const { return coordinator_.describe(); }
  /// INV: at the line, all members of a group have started equally many collectives on it.
  bool consistent() const;

  // Steps. out: something moved
  bool run(int r, int thread = 0);
  bool deliver_up(int r);
  bool deliver_down(int r);
  bool release(int r);

  /// Everything that can happen happens, in turn, until nothing can. computing: a rank whose program does not move
  void settle(int computing = -1);
  /// One thing that can happen, by chance. laziness: by actor, 0..7: how seldom it moves if others can. out: none can
  bool any(std::mt19937& chance);
  void choose_laziness(std::mt19937& chance);
  /// Threads tell of their waits only in a quiesce, as the runtime's do, not at their beginning.
  void tell_waits_late() { late_waits_ = true; }

  bool ended(int r) const;
  bool all_ended() const;
  std::uint64_t count(int r, int g) const { return at(r).counts[index(g)]; }
  /// It was told that others depend on it, or that it is behind.
  bool is_needed(int r) const { return at(r).needed; }
  const std::deque<upward>& on_the_way_up(int r) const;
  int size() const { return static_cast<int>(ranks_.size()); }

 private:
  friend struct up_queue;
  struct down_queues {
    std::vector<std::deque<downward>> queues;
    std::vector<std::uint64_t> newest;    // version, by rank
    void request(int r, request_number n) { push(r, requested{n}); }
    void send(int r, const needs::down& m);
    void line(int r) { push(r, line_declared{}); }
    void push(int r, const downward& m) { queues[index(r)].push_back(m); }
  };
  struct thread {
    program steps;
    std::size_t next = 0;
    bool inside = false, waiting = false;
    std::optional<std::uint64_t> held;         // changes() when the clock held it: it asks again when that has grown
    std::uint64_t sent = 0;                    // of a synchronous send: how many the receiver must have received
  };
  struct rank {
    std::unique_ptr<up_queue> up;
    std::unique_ptr<rank_host<needs, up_queue>> clock;
    std::vector<std::uint64_t> counts;         // by group
    std::vector<thread> threads;
    bool released = true, in_checkpoint = false, needed = false;
    request_number pending_later = 0;          // 0: none
  };
  struct channel { std::uint64_t sent = 0, received = 0; };
  static constexpr int max_ranks = 6, max_threads = 2;

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  rank& at(int r) { return *ranks_[index(r)]; }
  const rank& at(int r) const { return *ranks_[index(r)]; }
  channel& channel_of(int from, int from_thread, int to, int to_thread) {
    return channels_[index(((from * max_threads + from_thread) * max_ranks + to) * max_threads + to_thread)];
  }
  static group_name name_of(int g) { return {static_cast<std::uint64_t>(g) + 1, 7u * static_cast<std::uint64_t>(g)}; }
  std::vector<group_count> counts_of(int r) const;

  bool collective(int r, thread& t, op now);
  bool may_leave(op now, std::uint64_t count) const;
  bool synchronous_send(int r, int thread_index, thread& t, op now);
  bool receive(int r, int thread_index, thread& t, op now);
  bool wait(int r, int thread_index, thread& t, const std::vector<int>& peers);
  void end_wait(int r, int thread_index, thread& t);
  static bool advance(thread& t);
  void verdict_arrives(int r);
  void begin(int r, request_number number);
  bool act(int actor);
  int actors() const;

  std::vector<group> groups_;
  mutation mutation_;
  bool late_waits_ = false;
  down_queues down_;
  std::vector<std::unique_ptr<rank>> ranks_;
  std::vector<channel> channels_{index(max_ranks * max_threads * max_ranks * max_threads)};
  std::vector<unsigned> laziness_;             // by actor
  coordinator_host<needs, down_queues> coordinator_;
};

struct up_queue {
  const mutation* what_is_lost;
  std::deque<upward> queue;
  void answer(request_number n) { queue.push_back(answered{n}); }
  void send(const needs::up& m) {
    needs::news n = std::get<needs::news>(m);
    if (what_is_lost->drop_raises && n.version > 0) n.counts.clear();
    if (what_is_lost->drop_needs) n.waits.clear();
    queue.push_back(n);
  }
};

}  // namespace clock_test
