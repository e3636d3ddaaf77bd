// What the coordinator knows: who is behind, and who matters to them.
#include <doctest/doctest.h>

#include <mana/clock/ledger.hpp>
#include <mana/clock/wait_graph.hpp>

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

TEST_CASE("waits matter along chains from ranks that are behind") {
  wait_graph g;
  g.begin(0, {1});
  g.begin(1, {2});
  g.begin(3, {4});
  g.begin(4, {3});
  const auto behind = [](int which) { return [which](int r) { return r == which; }; };
  CHECK(g.needed_by(5, behind(-1)) == wait_graph::lists(5));
  CHECK(g.needed_by(5, behind(0)) == wait_graph::lists{{}, {0}, {1}, {}, {}});
  CHECK(g.needed_by(5, behind(3)) == wait_graph::lists{{}, {}, {}, {4}, {3}});
  g.begin(1, {});                            // now for anyone
  CHECK(g.needed_by(5, behind(0)) == wait_graph::lists{{1}, {0}, {1}, {1, 4}, {1, 3}});
  g.end(1);
  CHECK(g.needed_by(5, behind(0)) == wait_graph::lists{{}, {0}, {}, {}, {}});
}
