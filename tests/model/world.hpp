// A program under a policy: a value, with all the steps that can happen next.
//
// Requests come at any time; here the coordinator makes each as early as it can, which is at the beginning, or when
// the last one is over. Nothing observes that moment, and messages may take as long as they like, so every later
// moment is among the schedules. For the same reason a checkpoint's end is sent together with the line.
#pragma once
#include "network.hpp"
#include "parts.hpp"
#include "shared_part.hpp"

namespace clock_model {

struct step {
  // run: the rank's next operation starts, or ends. waits: it tells its host that it waits. up, down: a message of
  // this rank or relay, or for it, arrives. settle: this hub says what it has to say. release: the rank goes on after
  // a checkpoint. give_up: the coordinator does.
  enum kind : std::uint8_t { run, waits, up, down, settle, release, give_up } what = run;
  int rank = 0;                                // or a child, or a hub: network.hpp
  int sender = -1;                             // of run, where anyone's message is received: whose
  bool operator==(const step&) const = default;
};

enum class fault : std::uint8_t { none, unequal_line, start_after_line, kinds_differ, refused };

/// Mistakes of who calls the hosts, to show that the contract's clauses are needed.
struct caller_faults {
  bool counts_too_early = false;               // the snapshot is without a start that is counted, and has yet to ask
  bool held_is_counted = false;                // a held start is not taken back
  bool old_answers_pass = false;               // an answer to an older request is taken for one to this
  bool heard_before_answer = false;            // what was said before the answer is heard
  bool later_request_lost = false;             // a request that comes during a checkpoint is forgotten
  bool late_line = false;                      // the host does not hear of the line
  bool end_unheard = false;                    // the host does not hear of a checkpoint's end
  bool waits_untold = false;                   // no wait is told
  bool wait_ends_untold = false;
  bool never_asks_again = false;               // a held start does not ask again
  bool one_clock_for_equal_groups = false;     // communicators over the same members share a clock
  bool lock_waits_untold = false;              // that a rank waits for a lock is not told
  bool holder_only = false;                    // only those who have the lock then are named
  bool last_before_only = false;               // only those who wait before it are named
  bool parks_before_it_looks = false;          // after a request a rank does not look at a lock for which it waits
  bool place_taken_again = false;              // after a checkpoint it asks again, and its place remains
  bool unlock_counted = false;                 // an unlock counts as a collective of group 0
  bool fence_counted_twice = false;            // the first member counts a fence twice, once for its barrier
};

struct rules {
  std::string plan = "l";                      // by request: l: until its line; a: it may be given up at any moment
  bool split_starts = true;                    // a start is counted, and asks later: a request may come between
  bool reduce = true;                          // take steps alone where that is sound (reduction.hpp)
  bool prompt = false;                         // only schedules in which messages, but for requests, arrive at once
  bool slow_computing = false;                 // only those in which a computation ends when nothing else can happen
  int fan_out = 0;                             // of the tree of relays; 0: none. For a policy that combines
  bool batches = false;                        // messages may come together: a hub says later what it has to say
  caller_faults faults;

  /// How many a start of this rank's counts.
  std::uint64_t counts_of(const op& o, const std::vector<group>& groups, int rank) const {
    return faults.fence_counted_twice && o.what == act::fence && groups[index(o.with)][0] == rank ? 2 : 1;
  }
};

template <mana::clock::policy P>
class world {
 public:
  static constexpr int max_ranks = 6, max_relays = max_ranks - 1, max_children = max_ranks + max_relays;

  world(const script& program, const rules& how);

  /// out: the step can happen, and changed something
  bool take(const step& s);
  /// All steps that can happen (some may turn out to change nothing).
  void steps(std::vector<step>& out) const;
  /// A step that may be taken alone, without leaving out anything that matters. Why: reduction.hpp
  std::optional<step> solo() const;
  /// Of the state in which all steps that may be taken alone were: the same for executions that only change their
  /// places.
  hash128 settled_hash() const;
  hash128 hash() const;

  fault what_broke() const { return fault_; }
  bool all_ended() const;
  int lines() const { return lines_; }
  /// A line was declared by the last step: where ranks began, and where they are.
  bool at_new_line() const { return new_line_; }
  /// Nothing of any request is left: the program goes on as if there had been none.
  bool is_native() const;
  /// Collectives, messages and computations of the program that were started or ended.
  int progress() const;

  const task& doing(int r) const { return rank_[index(r)]->doing; }
  const op* next_op(int r) const;
  const script& what() const { return *program_; }
  const network& links() const { return *network_; }
  bool is_quiescing(int r) const { return rank_[index(r)]->host.quiescing(); }
  const std::vector<upward<P>>& going_up(int child) const { return up_[index(child)]->queue; }
  const std::vector<downward<P>>& coming_down(int child) const { return down_[index(child)]->queue; }
  bool is_held(int r) const;

 private:
  int size() const { return program_->size(); }
  process<P>& edit(int r);
  void flush(int r);
  void flush_hub(int h);
  std::optional<step> prompt_step() const;
  std::optional<step> left_mover() const;

  // the program: world_program.hpp
  bool run(int r, int sender);
  bool start_collective(int r, const op& o);
  bool enter(int r, const op& o);
  bool is_barrier_over(int r) const;
  void begin_op(task& t, const op& o);
  bool complete(int r, const op& o, int sender);
  void advance(int r);
  bool is_done(int r, const started_op& o) const;
  bool may_leave(int r, const started_op& o) const;
  std::uint64_t entered(int r, int g) const;
  bool waits(int r);
  std::vector<int> peers_of(int r) const;
  std::vector<int> holders_to_tell(int r, int lock) const;
  void take_place(int r, const op& o);
  void leave_lock(int r, int lock);
  bool may_run(int r) const;
  bool has_control(int r) const;
  bool same_kinds(int r, const op& o) const;

  // requests: world_control.hpp
  void request();
  void conclude();
  bool deliver_up(int child);
  bool deliver_down(int child);
  bool deliver_to_relay(int h, const downward<P>& message);
  bool settle(int h);
  template <class Host>
  void hear(Host& host, int child);
  bool has_relayed() const;
  void begin(int r, request_number number);
  void end_arrives(int r);
  bool release(int r);
  bool give_up();
  bool is_line_safe() const;
  std::vector<mana::clock::group_count> counts_of(int r) const;
  int clock_of(int g) const;
  mana::clock::group_name clock_name(int g) const;
  std::uint64_t clock_count(int r, int g) const;

  const script* program_;
  const rules* how_;
  std::array<shared_part<process<P>>, max_ranks> rank_;
  const network* network_;
  std::array<shared_part<lane<upward<P>>>, max_children> up_;      // by child
  std::array<shared_part<lane<downward<P>>>, max_children> down_;
  shared_part<control<P>> control_;
  std::array<shared_part<junction<P>>, max_relays> relay_;         // by hub, less one
  unsigned unsettled_ = 0;                     // a bit per hub: something has come to it since it spoke
  std::uint64_t request_no_ = 0;
  int planned_ = 0;                            // requests of the plan that were made
  int lines_ = 0;
  bool under_way_ = false, new_line_ = false;
  fault fault_ = fault::none;
};

template <mana::clock::policy P>
world<P>::world(const script& program, const rules& how)
    : program_(&program),
      how_(&how),
      network_(&network_of(program.size(), mana::clock::combines<P> ? how.fan_out : 0)),
      control_(shared_part<control<P>>::make(network_->hubs.front().links)) {
  for (int r = 0; r < size(); ++r) {
    task t;
    t.counts.resize(program.groups.size());
    for (std::size_t g = 0; g < program.groups.size(); ++g) t.exists.push_back(program.is_given(static_cast<int>(g)));
    t.sent.resize(program.ranks.size());
    t.posted.resize(program.ranks.size());
    t.has.resize(program.locks(), act::unlock);
    t.behind.resize(program.locks());
    rank_[index(r)] = shared_part<process<P>>::make(r, std::move(t));
  }
  for (int c = 0; c < network_->children(); ++c) {
    up_[index(c)] = shared_part<lane<upward<P>>>::make();
    down_[index(c)] = shared_part<lane<downward<P>>>::make();
  }
  if constexpr (mana::clock::combines<P>)
    for (int h = 1; h <= network_->relays(); ++h)
      relay_[index(h - 1)] = shared_part<junction<P>>::make(network_->hubs[index(h)].links);
  if (!how.plan.empty()) request();
}

template <mana::clock::policy P>
hash128 world<P>::hash() const {
  std::array<hash128, max_ranks + 2 * max_children + max_relays + 2> all;
  std::size_t n = 0;
  for (int r = 0; r < size(); ++r) all[n++] = rank_[index(r)].hash();
  for (int c = 0; c < network_->children(); ++c) {
    all[n++] = up_[index(c)].hash();
    all[n++] = down_[index(c)].hash();
  }
  for (int h = 1; h <= network_->relays(); ++h) all[n++] = relay_[index(h - 1)].hash();
  all[n++] = control_.hash();
  all[n++] = {static_cast<std::uint64_t>(planned_) * 64 + unsettled_,
              static_cast<std::uint64_t>(lines_) * 4 + under_way_};
  return hash_of(all.data(), n * sizeof(hash128));
}

template <mana::clock::policy P>
process<P>& world<P>::edit(int r) {
  process<P>& p = rank_[index(r)].edit();
  p.would_be.reset();
  return p;
}

template <mana::clock::policy P>
void world<P>::flush(int r) {
  auto& out = rank_[index(r)].edit().to_coordinator.out;
  if (out.empty()) return;
  auto& queue = up_[index(r)].edit().queue;
  queue.insert(queue.end(), out.begin(), out.end());
  out.clear();
}

template <mana::clock::policy P>
void world<P>::flush_hub(int h) {
  const auto pass = [&](auto& out) {
    for (auto& [link, message] : out)
      down_[index(network_->hubs[index(h)].children[index(link)])].edit().queue.push_back(std::move(message));
    out.clear();
  };
  if (h == 0) return pass(control_.edit().to_links.out);
  if constexpr (mana::clock::combines<P>) {
    auto& says = relay_[index(h - 1)].edit().says;
    pass(says.out);
    auto& queue = up_[index(size() + h - 1)].edit().queue;
    queue.insert(queue.end(), says.up.begin(), says.up.end());
    says.up.clear();
  }
}

template <mana::clock::policy P>
bool world<P>::all_ended() const {
  for (int r = 0; r < size(); ++r)
    if (next_op(r) != nullptr) return false;
  return true;
}

/// Something is on its way through relays, or a relay is in a request.
template <mana::clock::policy P>
bool world<P>::has_relayed() const {
  if constexpr (mana::clock::combines<P>)
    for (int h = 1; h <= network_->relays(); ++h) {
      const int child = size() + h - 1;
      if (!going_up(child).empty() || !coming_down(child).empty()) return true;
      if (relay_[index(h - 1)]->host.state() != nullptr) return true;
    }
  return false;
}

template <mana::clock::policy P>
bool world<P>::is_native() const {
  if (under_way_ || has_relayed()) return false;
  for (int r = 0; r < size(); ++r)
    if (has_control(r) || is_quiescing(r) || doing(r).in_checkpoint || doing(r).pending_later != 0) return false;
  return true;
}

template <mana::clock::policy P>
int world<P>::progress() const {
  int sum = 0;
  for (int r = 0; r < size(); ++r) sum += 4 * doing(r).next + static_cast<int>(doing(r).where);
  return sum;
}

template <mana::clock::policy P>
const op* world<P>::next_op(int r) const {
  const rank_ops& ops = program_->ranks[index(r)];
  return index(doing(r).next) < ops.size() ? &ops[index(doing(r).next)] : nullptr;
}

}  // namespace clock_model

#include "reduction.hpp"
#include "world_control.hpp"
#include "world_program.hpp"
