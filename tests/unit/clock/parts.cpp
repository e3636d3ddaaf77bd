// What relays and the coordinator know: sets of ranks, targets, who is behind, and who matters to them.
#include <doctest/doctest.h>

#include <mana/clock/ledger.hpp>
#include <mana/clock/need_tree.hpp>
#include <mana/clock/targets.hpp>
#include <mana/clock/tree.hpp>

#include <random>

namespace clock_parts_tests {

using namespace mana::clock;

TEST_CASE("a ledger knows who is behind") {
  const group_name a{1, 1}, b{2, 2};
  ledger l(4);
  CHECK(l.count(1, {a, 3, {0, 1, 2}}));
  CHECK(l.is_behind(0));                     // never heard of on this clock
  CHECK_FALSE(l.is_behind(1));
  CHECK_FALSE(l.is_behind(3));               // not a member
  CHECK_FALSE(l.count(0, {a, 3, {}}));       // caught up
  CHECK_FALSE(l.is_behind(0));
  CHECK(l.count(0, {b, 1, {0, 2}}));
  CHECK_FALSE(l.count(2, {a, 3, {}}));
  CHECK(l.is_behind(2));                     // on b
  CHECK(l.count(2, {b, 2, {}}));             // passes it
  CHECK_FALSE(l.is_behind(2));
  CHECK(l.is_behind(0));
  CHECK_FALSE(l.count(2, {b, 1, {}}));       // news from before are none
  CHECK(l.entries().at(b).target == 2);
  CHECK_FALSE(l.count(3, {b, 9, {}}));       // not a member
}

namespace {

using ranks = std::vector<int>;

/// A tree of relays over n ranks, or the coordinator alone, in which everything is heard at once.
class needs_of_all {
 public:
  needs_of_all(int n, int fan_out) : ranks_(n) {
    for (std::vector<rank_range> todo{{0, n}}; !todo.empty();) {
      const rank_range at = todo.back();
      todo.pop_back();
      hubs_.push_back({at, need_tree(at), {}});
      if (fan_out == 0) continue;
      for (const rank_range& link : links_of(at, fan_out))
        if (link.size() > 1) todo.push_back(link);
    }
  }
  void hear(const dependence& d) {
    innermost(d.rank, 1).waits.hear(d);
    for (bool moved = true; moved;) {
      moved = false;
      for (hub& h : hubs_) moved = settle(h) || moved;
    }
  }
  ranks needed() const {
    ranks some;
    for (int r = 0; r < ranks_; ++r)
      if (is_needed_.contains(r)) some.push_back(r);
    return some;
  }

 private:
  struct hub {
    rank_range all;
    need_tree waits;
    std::set<int> told;
  };
  /// The smallest of at least that size that has the rank.
  hub& innermost(int rank, int size) {
    hub* found = nullptr;
    for (hub& h : hubs_)
      if (h.all.has(rank) && h.all.size() >= size && (found == nullptr || h.all.size() < found->all.size())) found = &h;
    return *found;
  }
  bool settle(hub& h) {
    const need_tree::changes c = h.waits.follow();
    for (const dependence& d : c.upwards)
      if (h.all.size() < ranks_) innermost(h.all.first, h.all.size() + 1).waits.hear(d);
    for (const int r : c.needed) tell(h, r, true);
    for (const int r : c.no_longer) tell(h, r, false);
    return !c.upwards.empty() || !c.needed.empty() || !c.no_longer.empty();
  }
  /// To the rank, or to the relay on the way to it.
  void tell(const hub& from, int rank, bool is_needed) {
    hub* next = nullptr;
    for (hub& h : hubs_)
      if (h.all.has(rank) && h.all.size() < from.all.size() && (next == nullptr || h.all.size() > next->all.size()))
        next = &h;
    const rank_set one{rank}, none;
    if (next != nullptr) next->waits.hear(is_needed ? one : none, is_needed ? none : one);
    else if (is_needed) is_needed_.insert(rank);
    else is_needed_.erase(rank);
  }

  const int ranks_;
  std::vector<hub> hubs_;
  std::set<int> is_needed_;
};

}  // namespace

TEST_CASE("waits matter along chains from ranks that are behind") {
  for (const int fan_out : {0, 1, 2}) {
    CAPTURE(fan_out);
    needs_of_all n(5, fan_out);
    const auto wait = [&](int rank, bool is_behind, ranks peers) { n.hear({rank, true, is_behind, std::move(peers)}); };
    wait(0, false, {1});
    wait(1, false, {2});
    wait(3, false, {4});
    wait(4, false, {3});
    CHECK(n.needed() == ranks{});
    wait(0, true, {1});
    CHECK(n.needed() == ranks{1, 2});
    wait(3, true, {4});
    CHECK(n.needed() == ranks{1, 2, 3, 4});
    wait(3, false, {4});                     // they wait for each other, and nobody who is behind for either
    CHECK(n.needed() == ranks{1, 2});
    wait(1, false, {});                      // now for anyone
    CHECK(n.needed() == ranks{0, 1, 2, 3, 4});
    n.hear({1, false, false, {}});
    CHECK(n.needed() == ranks{1});
  }
}

TEST_CASE("INV-24 who is needed depends on the waits as they are, whichever relays they came through") {
  std::mt19937 chance(5);
  constexpr int n = 9;
  for (int round = 0; round < 200; ++round) {
    std::map<int, dependence> waits;
    needs_of_all flat(n, 0), chain(n, 1), tree(n, 2);
    const unsigned wildcards = round % 3 == 0 ? 9 : 1000;
    for (int change = 0; change < 40; ++change) {
      dependence d{static_cast<int>(chance() % n), chance() % 3 != 0, chance() % 4 == 0, {}};
      for (int p = 0; p < n; ++p)
        if (p != d.rank && chance() % 5 == 0) d.peers.push_back(p);
      if (d.peers.empty() && chance() % wildcards != 0) d.peers.push_back((d.rank + 1) % n);
      if (d.waits) waits[d.rank] = d;
      else waits.erase(d.rank);
      needs_of_all fresh(n, 0);
      for (const auto& [rank, w] : waits) fresh.hear(w);
      for (needs_of_all* hears : {&flat, &chain, &tree}) {
        hears->hear(d);
        CHECK(hears->needed() == fresh.needed());
      }
    }
  }
}

TEST_CASE("a set of ranks is as small as it is regular, and knows its ranks") {
  std::vector<std::vector<int>> all{{}, {0}, {3, 5}, {0, 1, 2, 3}, {1, 4, 7, 10}, {0, 1, 3}, {2, 3, 5, 8, 9, 10, 40}};
  for (const std::vector<int>& ranks : all) {
    const rank_set s(ranks);
    CHECK(std::vector<int>(s.begin(), s.end()) == ranks);
    CHECK(s.size() == ranks.size());
    for (int first = -1; first < 12; ++first) {
      const auto at = std::find(ranks.begin(), ranks.end(), first);
      CHECK(s.contains(first) == (at != ranks.end()));
      if (at != ranks.end()) CHECK(s.place(first) == static_cast<std::size_t>(at - ranks.begin()));
      else CHECK(s.place(first) == s.size());
      for (int end = first; end < 42; ++end) {
        const rank_range range{first, end};
        std::vector<int> in;
        std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(in), [&](int r) { return range.has(r); });
        const rank_set part = s.in(range);
        CHECK(std::vector<int>(part.begin(), part.end()) == in);
        CHECK(s.intersects(range) == !in.empty());
        CHECK(s.is_within(range) == (in == ranks));
      }
    }
    for (const std::vector<int>& others : all) {
      std::vector<int> sum, rest;
      std::set_union(ranks.begin(), ranks.end(), others.begin(), others.end(), std::back_inserter(sum));
      std::set_difference(ranks.begin(), ranks.end(), others.begin(), others.end(), std::back_inserter(rest));
      CHECK(s.with(others) == rank_set(sum));
      CHECK(s.without(others) == rank_set(rest));
    }
  }
  CHECK(rank_set(rank_range{3, 7}) == rank_set{3, 4, 5, 6});
}

TEST_CASE("the tree's links cover its ranks, each once, and each process finds its place") {
  for (const int fan_out : {1, 2, 3, 16})
    for (int n = 1; n < 70; ++n) {
      CAPTURE(fan_out);
      CAPTURE(n);
      CHECK(place_of(0, n, fan_out).parent == -1);
      for (int p = 0; p < n; ++p) {
        const place at = place_of(p, n, fan_out);
        CHECK(at.range.first == p);
        const std::vector<rank_range> links = links_of(at.range, fan_out);
        CHECK(links.front() == rank_range{p, p + 1});
        CHECK(links.back().end == at.range.end);
        CHECK(links.size() <= static_cast<std::size_t>(fan_out) + 1);
        for (std::size_t l = 1; l < links.size(); ++l) {
          CHECK(links[l].first == links[l - 1].end);
          CHECK(place_of(links[l].first, n, fan_out).parent == p);
          CHECK(place_of(links[l].first, n, fan_out).range == links[l]);
        }
      }
    }
}

TEST_CASE("a target is told once to each neighbour that leads to members, and never to who said it") {
  const std::vector<rank_range> links{{4, 5}, {5, 8}, {8, 12}};
  target_table t(links);
  const auto told = [&] {
    std::vector<std::size_t> neighbours;
    t.tell([&](std::size_t n, const group_count&) { neighbours.push_back(n); });
    return neighbours;
  };
  const group_name inside{1, 1}, across{2, 2};
  t.hear(0, {inside, 3, {4, 6, 7}});
  CHECK(told() == std::vector<std::size_t>{1});
  t.hear(1, {inside, 3, {4, 6, 7}});
  CHECK(told().empty());
  t.hear(1, {inside, 2, {4, 6, 7}});         // from before
  CHECK(told().empty());
  t.hear(2, {across, 5, {0, 5, 9}});
  CHECK(told() == std::vector<std::size_t>{1, t.above()});
  t.hear(t.above(), {across, 7, {0, 5, 9}});
  CHECK(told() == std::vector<std::size_t>{1, 2});
  t.hear(0, {{3, 3}, 0, {4, 5}});            // nobody has started any
  CHECK(told().empty());
}

}  // namespace clock_parts_tests
