#include <mana/vid/rank_map.hpp>

#include <doctest/doctest.h>

#include <array>

namespace wrappers_clocks_tests {

using namespace mana;

namespace {

constexpr std::array members{0, 2, 5};
vid::group_clock group{17, 23, {0}, nullptr, 3, 0, members.data(), false, nullptr};

int clocks() {
  int n = 0;
  for (const vid::group_clock* c = vid::first_clock(); c != nullptr; c = c->next) ++n;
  return n;
}

}  // namespace

TEST_CASE("two communicators over the same members have clocks of different names") {
  const vid::group_clock &a = *vid::communicator_clock(group, 1), &b = *vid::communicator_clock(group, 2);
  CHECK(&a != &b);
  CHECK(a.ggid == group.ggid);
  CHECK(a.check != b.check);
  CHECK(a.check != group.check);
  CHECK(a.members == group.members);
  CHECK(a.size == 3);
  CHECK(vid::keyed_clock(group, 3) == vid::keyed_clock(group, 3));
}

TEST_CASE("INV-25 the clock of a freed communicator counts until the next checkpoint, and is another's after it") {
  const int before = clocks();
  for (int step = 0; step < 3; ++step) {
    for (std::uint64_t made = 0; made < 10; ++made) {
      vid::group_clock* const c = vid::communicator_clock(group, 1000 + made);
      CHECK(c->seq == 0);
      c->seq += 1 + made;
      vid::retire(c);
      CHECK(c->seq == 1 + made);
    }
    CHECK(clocks() == before + 10);
    vid::begin_anew(vid::first_clock());
  }
}

TEST_CASE("a clock that counts for several communicators begins anew with none and is never another's") {
  vid::group_clock* const c = vid::keyed_clock(group, 4);
  c->seq = 7;
  vid::retire(c);
  vid::retire(nullptr);
  vid::begin_anew(vid::first_clock());
  CHECK(c->seq == 7);
  CHECK(vid::communicator_clock(group, 5) != c);
}

}  // namespace wrappers_clocks_tests
