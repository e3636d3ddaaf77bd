// The collective clock with needs, over a transport that delivers when the test says so.
#include <doctest/doctest.h>

#include <mana/clock/needs_coordinator.hpp>
#include <mana/clock/needs_rank.hpp>

#include <deque>
#include <memory>
#include <random>

using namespace mana::clock;

namespace {

/// What a test may take away from the protocol, to show that it is needed.
struct mutation { bool drop_raises = false, drop_needs = false; };

/// A program's step. 'C': collective on group a; 'S': eager send to a; 'R': receive from a; 'A': receive from anyone
struct op { char kind; int a; };

struct group { std::vector<int> members; };

class world {
 public:
  world(std::vector<std::vector<op>> programs, std::vector<group> groups, mutation m = {})
      : programs_(std::move(programs)), groups_(std::move(groups)), mutation_(m),
        coordinator_(down_, static_cast<int>(programs_.size())) {
    const std::size_t n = programs_.size();
    down_.queues.resize(n);
    for (std::size_t r = 0; r < n; ++r) {
      auto made = std::make_unique<rank>();
      made->up.owner = this;
      made->clock = std::make_unique<needs_rank<up_queue>>(made->up, static_cast<int>(r));
      made->counts.resize(groups_.size());
      made->waiting_messages.resize(n);
      ranks_.push_back(std::move(made));
    }
  }

  void request() { coordinator_.request(); }
  void give_up() { coordinator_.give_up(); }
  bool at_line() const { return coordinator_.done(); }
  bool ended(std::size_t r) const { return ranks_[r]->at == programs_[r].size(); }
  bool all_ended() const {
    for (std::size_t r = 0; r < ranks_.size(); ++r) if (!ended(r)) return false;
    return true;
  }

  /// Lets rank r make one step of its program. out: it moved
  bool run(std::size_t r) {
    rank& me = *ranks_[r];
    if (ended(r)) return false;
    const op now = programs_[r][me.at];
    switch (now.kind) {
      case 'C': return collective(r, static_cast<std::size_t>(now.a));
      case 'S': ++ranks_[static_cast<std::size_t>(now.a)]->waiting_messages[r]; return advance(me);
      case 'R': return receive(r, {now.a});
      default: return receive(r, {});
    }
  }
  bool deliver_up(std::size_t r) {
    auto& queue = ranks_[r]->up.queue;
    if (queue.empty()) return false;
    const upward message = queue.front();
    queue.pop_front();
    coordinator_.receive(static_cast<int>(r), message);
    return true;
  }
  bool deliver_down(std::size_t r) {
    auto& queue = down_.queues[r];
    if (queue.empty()) return false;
    const downward message = queue.front();
    queue.pop_front();
    rank& me = *ranks_[r];
    if (std::holds_alternative<pending>(message)) me.clock->begin(counts_of(r));
    else if (const auto* s = std::get_if<state>(&message)) me.clock->receive(*s);
    else if (const auto* l = std::get_if<line>(&message)) me.clock->receive(*l);
    else me.clock->receive(given_up{});
    return true;
  }
  /// Everything that can happen happens, in turn, until nothing can.
  void settle() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t r = 0; r < ranks_.size(); ++r)
        moved = deliver_up(r) || deliver_down(r) || (!at_line() && run(r)) || moved;
    }
  }
  /// One thing that can happen, by chance. out: false if nothing can
  bool any(std::mt19937& chance) {
    const std::size_t n = ranks_.size(), first = chance() % (3 * n);
    for (std::size_t i = 0; i < 3 * n; ++i) {
      const std::size_t what = (first + i) % (3 * n), r = what / 3;
      if (what % 3 == 0 ? deliver_up(r) : what % 3 == 1 ? deliver_down(r) : run(r)) return true;
    }
    return false;
  }

  /// INV: at the line, all members of a group have started equally many collectives on it.
  bool consistent() const {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (const int m : groups_[g].members)
        if (count(m, g) != count(groups_[g].members[0], g)) return false;
    return true;
  }
  std::uint64_t count(int r, std::size_t g) const { return ranks_[static_cast<std::size_t>(r)]->counts[g]; }
  std::string who_is_behind() const { return coordinator_.describe(); }

 private:
  struct up_queue {
    world* owner = nullptr;
    std::deque<upward> queue;
    void send(const upward& m) {
      if (owner->mutation_.drop_raises && std::holds_alternative<raise>(m)) return;
      if (owner->mutation_.drop_needs && (std::holds_alternative<need>(m) || std::holds_alternative<need_end>(m))) return;
      queue.push_back(m);
    }
  };
  struct down_queues {
    std::vector<std::deque<downward>> queues;
    void send(int r, const downward& m) { queues[static_cast<std::size_t>(r)].push_back(m); }
  };
  struct rank {
    up_queue up;
    std::unique_ptr<needs_rank<up_queue>> clock;
    std::vector<std::uint64_t> counts;
    std::vector<int> waiting_messages;   // by sender
    std::size_t at = 0;
    bool inside = false, waiting = false;
  };

  static bool advance(rank& me) { ++me.at; return true; }
  static group_name name_of(std::size_t g) { return {g + 1, 7 * g}; }
  std::vector<group_count> counts_of(std::size_t r) const {
    std::vector<group_count> counts;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto& members = groups_[g].members;
      if (std::find(members.begin(), members.end(), static_cast<int>(r)) != members.end())
        counts.push_back({name_of(g), ranks_[r]->counts[g], members});
    }
    return counts;
  }
  /// Two steps: the start, which the clock may hold, and the end, when all members have started.
  bool collective(std::size_t r, std::size_t g) {
    rank& me = *ranks_[r];
    if (!me.inside) {
      const std::uint64_t seq = me.counts[g] + 1;
      if (me.clock->start_collective(name_of(g), groups_[g].members, seq) == verdict::hold) return false;
      me.counts[g] = seq;
      return me.inside = true;
    }
    for (const int m : groups_[g].members)
      if (count(m, g) < me.counts[g]) return false;
    me.inside = false;
    return advance(me);
  }
  bool receive(std::size_t r, std::vector<int> from) {
    rank& me = *ranks_[r];
    for (std::size_t s = 0; s < me.waiting_messages.size(); ++s) {
      if (me.waiting_messages[s] == 0 || (!from.empty() && from[0] != static_cast<int>(s))) continue;
      --me.waiting_messages[s];
      if (me.waiting) me.clock->wait_ends(0);
      me.waiting = false;
      return advance(me);
    }
    if (me.waiting) return false;
    me.clock->wait_begins(0, from);
    return me.waiting = true;
  }

  std::vector<std::vector<op>> programs_;
  std::vector<group> groups_;
  mutation mutation_;
  down_queues down_;
  std::vector<std::unique_ptr<rank>> ranks_;
  needs_coordinator<down_queues> coordinator_;
};

/// P0: Barrier(A), Send(1); P1: Recv(0), Barrier(B); P2: Barrier(B); P3: Barrier(A). A = {0, 3}, B = {1, 2}
world four_ranks(mutation m = {}) {
  return world({{{'C', 0}, {'S', 1}}, {{'R', 0}, {'C', 1}}, {{'C', 1}}, {{'C', 0}}}, {{{0, 3}}, {{1, 2}}}, m);
}

/// Programs that end without a request: a global order of events, cut into each rank's.
world random_world(std::mt19937& chance, mutation m) {
  const std::size_t n = 2 + chance() % 3, events = 4 + chance() % 8, group_count = 1 + chance() % 3;
  std::vector<group> groups(group_count);
  for (group& g : groups) {
    while (g.members.size() < 2) {
      g.members.clear();
      for (std::size_t r = 0; r < n; ++r) if (chance() % 2) g.members.push_back(static_cast<int>(r));
    }
  }
  std::vector<std::vector<op>> programs(n);
  bool wildcards = chance() % 4 == 0;
  for (std::size_t e = 0; e < events; ++e) {
    if (chance() % 2) {
      const std::size_t g = chance() % group_count;
      for (const int r : groups[g].members) programs[static_cast<std::size_t>(r)].push_back({'C', static_cast<int>(g)});
    } else {
      const std::size_t a = chance() % n, b = (a + 1 + chance() % (n - 1)) % n;
      programs[a].push_back({'S', static_cast<int>(b)});
      programs[b].push_back({wildcards ? 'A' : 'R', static_cast<int>(a)});
    }
  }
  return world(std::move(programs), std::move(groups), m);
}

struct tally { int lines = 0, ends = 0, unsafe = 0, stuck = 0; };

tally simulate(int worlds, mutation m) {
  tally t;
  for (int seed = 0; seed < worlds; ++seed) {
    std::mt19937 chance(static_cast<unsigned>(seed));
    world w = random_world(chance, m);
    for (std::size_t before = chance() % 30; before > 0 && w.any(chance);) --before;
    w.request();
    while (!w.at_line() && w.any(chance)) {}
    if (w.at_line()) {
      ++t.lines;
      t.unsafe += w.consistent() ? 0 : 1;
    } else if (w.all_ended()) ++t.ends;
    else ++t.stuck;
  }
  return t;
}

}  // namespace

TEST_CASE("without debts the line is declared where everyone is") {
  world w({{{'C', 0}}, {{'C', 0}}}, {{{0, 1}}});
  w.request();
  for (std::size_t r : {0u, 1u}) w.deliver_down(r);
  CHECK_FALSE(w.run(0));              // held: nobody has started this collective
  w.settle();
  CHECK(w.at_line());
  CHECK(w.count(0, 0) == 0);
  CHECK(w.count(1, 0) == 0);
}

TEST_CASE("INV the four-rank example reaches the line: a message is a node of the graph") {
  world w = four_ranks();
  CHECK(w.run(2));                    // P2 is in Barrier(B)
  w.request();
  w.settle();
  CHECK(w.at_line());
  CHECK(w.consistent());
  CHECK(w.count(1, 1) == 1);          // P1 came to it, since P0 and P3 went through Barrier(A) for its message
  CHECK(w.count(0, 0) == 1);
}

TEST_CASE("without needs the four-rank example deadlocks") {
  world w = four_ranks({.drop_needs = true});
  w.run(2);
  w.request();
  w.settle();
  CHECK_FALSE(w.at_line());
  CHECK(w.who_is_behind().find("rank 1") != std::string::npos);
}

TEST_CASE("a request that is given up leaves no trace, and the next one is served") {
  world w = four_ranks();
  w.run(2);
  w.request();
  for (std::size_t r = 0; r < 4; ++r) w.deliver_down(r);
  w.give_up();
  w.settle();
  CHECK(w.all_ended());
  w.request();
  w.settle();
  CHECK(w.at_line());
  CHECK(w.consistent());
}

TEST_CASE("a wildcard receive needs everyone") {
  world w({{{'C', 0}, {'S', 1}}, {{'A', 0}, {'C', 1}}, {{'C', 1}}, {{'C', 0}}}, {{{0, 3}}, {{1, 2}}});
  w.run(2);
  w.request();
  w.settle();
  CHECK(w.at_line());
  CHECK(w.consistent());
}

TEST_CASE("INV every schedule of random programs reaches a consistent line or the program's end") {
  const tally t = simulate(4000, {});
  CHECK(t.unsafe == 0);
  CHECK(t.stuck == 0);
  CHECK(t.lines > 1000);
}

TEST_CASE("raises and needs are both needed: the simulation finds what happens without them") {
  CHECK(simulate(4000, {.drop_raises = true}).unsafe > 0);
  CHECK(simulate(4000, {.drop_needs = true}).stuck > 0);
}
