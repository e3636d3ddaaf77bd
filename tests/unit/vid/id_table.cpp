#include <mana/vid/id_table.hpp>

#include <doctest/doctest.h>

#include <set>
#include <thread>

namespace mana {
template <>
struct descriptor<kind::comm> { int value = 7; };
template <>
struct descriptor<kind::request> { int value = 0; };
}  // namespace mana

namespace vid_id_table_tests {

using mana::virt;
using comm_table = mana::vid::id_table<mana::kind::comm>;

TEST_CASE("an id finds its entry, with a fresh descriptor") {
  comm_table t;
  auto* const e = t.insert_entry();
  REQUIRE(e != nullptr);
  const auto id = t.id_of(*e);
  CHECK(id.well_formed());
  CHECK(t.find(id) == e);
  CHECK(e->what.value == 7);
}

TEST_CASE("a stale id is recognised, for every generation but its own") {
  comm_table t;
  const auto old = t.insert();
  t.erase(old);
  CHECK(t.find(old) == nullptr);
  for (std::uint32_t i = 1; i < virt<mana::kind::comm>::max_generation; ++i) {
    const auto next = t.insert();
    CHECK(next.index() == old.index());
    CHECK(t.find(old) == nullptr);
    CHECK(t.find(next) != nullptr);
    t.erase(next);
  }
}

TEST_CASE("foreign bits are never found") {
  comm_table t;
  const auto id = t.insert();
  for (const std::uint32_t bits :
       {0u, 1u, 0x44000000u, 0x8c000001u, 0xffffffffu, id.bits() ^ 0x08000000u, id.bits() & 0x7fffffffu})
    CHECK(t.find(virt<mana::kind::comm>(bits)) == nullptr);
  std::uint32_t random = 12345;
  for (int i = 0; i < 1'000'000; ++i) {
    random = random * 1664525u + 1013904223u;
    if (random != id.bits()) REQUIRE(t.find(virt<mana::kind::comm>(random)) == nullptr);
  }
}

TEST_CASE("MPICH's predefined pair types are not ids of any kind") {
  for (std::uint32_t n = 0; n < 16; ++n) {
    CHECK_FALSE(virt<mana::kind::datatype>(0x8c000000u + n).well_formed());
    CHECK_FALSE(virt<mana::kind::comm>(0x8c000000u + n).well_formed());
  }
}

TEST_CASE("a hundred thousand ids at once are all different and all found") {
  comm_table t;
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 100'000; ++i) seen.insert(t.insert().bits());
  CHECK(seen.size() == 100'000);
  for (const auto bits : seen) REQUIRE(t.find(virt<mana::kind::comm>(bits)) != nullptr);
}

TEST_CASE("the table is full at its capacity and says so") {
  mana::vid::id_table<mana::kind::request> t;
  for (std::uint32_t i = 0; i < t.capacity; ++i) REQUIRE(t.insert_entry() != nullptr);
  CHECK(t.insert_entry() == nullptr);
  std::uint32_t freed = 0;
  t.for_each_unordered([&](auto& e) { if (freed++ == 0) t.erase(e); });
  CHECK(t.insert_entry() != nullptr);
  CHECK(t.insert_entry() == nullptr);
}

TEST_CASE("for_each goes in order of creation, whatever ids were reused") {
  comm_table t;
  const auto a = t.insert();
  const auto b = t.insert();
  t.erase(a);
  const auto c = t.insert();          // takes the index of a
  std::vector<std::uint32_t> order;
  t.for_each([&](auto& e) { order.push_back(t.id_of(e).bits()); });
  CHECK(order == std::vector<std::uint32_t>{b.bits(), c.bits()});
}

TEST_CASE("threads insert and erase at once without losing or doubling an id") {
  comm_table t;
  const auto work = [&t] {
    for (int round = 0; round < 20'000; ++round) {
      auto* const one = t.insert_entry();
      auto* const two = t.insert_entry();
      if (one == two) std::abort();
      t.erase(*one);
      t.erase(*two);
    }
  };
  std::thread other(work), third(work);
  work();
  other.join();
  third.join();
  int live = 0;
  t.for_each_unordered([&](auto&) { ++live; });
  CHECK(live == 0);
}

}  // namespace vid_id_table_tests
