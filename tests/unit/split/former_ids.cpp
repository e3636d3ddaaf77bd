// INV-77 an id of before names the same thread after restarts.
#include <runtime/split/window/former_ids.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace split_former_ids_tests {

using namespace mana;
using renumbered = std::vector<split::thread_renumbering>;

TEST_CASE("INV-77: an id of any earlier process names the thread that had it") {
  split::former_ids ids{};
  CHECK(split::named_by(ids, 10) == 10);
  split::renumber(ids, renumbered{{10, 20}, {11, 21}});
  split::renumber(ids, renumbered{{20, 30}, {21, 31}, {22, 32}});
  for (const std::int32_t before : {10, 20}) CHECK(split::named_by(ids, before) == 30);
  for (const std::int32_t before : {11, 21}) CHECK(split::named_by(ids, before) == 31);
  CHECK(split::named_by(ids, 22) == 32);
  CHECK(split::named_by(ids, 30) == 30);
}

TEST_CASE("INV-77: a thread that has ended has no id") {
  split::former_ids ids{};
  split::renumber(ids, renumbered{{10, 20}, {11, 21}});
  split::renumber(ids, renumbered{{20, 30}});
  CHECK(split::named_by(ids, 11) == 11);
  CHECK(split::named_by(ids, 21) == 21);
}

TEST_CASE("INV-77: of threads that had the same id the last one is meant") {
  split::former_ids ids{};
  split::renumber(ids, renumbered{{10, 11}, {11, 10}});
  CHECK(split::named_by(ids, 10) == 11);
  CHECK(split::named_by(ids, 11) == 10);
  split::renumber(ids, renumbered{{10, 40}, {11, 41}});
  CHECK(split::named_by(ids, 10) == 40);
  CHECK(split::named_by(ids, 11) == 41);
}

TEST_CASE("INV-77: the oldest ids make room") {
  split::former_ids ids{};
  const auto most = static_cast<std::int32_t>(split::former_ids::capacity);
  renumbered threads;
  for (std::int32_t i = 0; i < most; ++i) threads.push_back({1000 + i, 10000 + i});
  split::renumber(ids, threads);
  CHECK(ids.count == split::former_ids::capacity);
  threads.clear();
  for (std::int32_t i = 0; i < most; ++i) threads.push_back({10000 + i, 20000 + i});
  split::renumber(ids, threads);
  CHECK(ids.count == split::former_ids::capacity);
  CHECK(split::named_by(ids, 10000) == 20000);
  CHECK(split::named_by(ids, 10000 + most - 1) == 20000 + most - 1);
}

TEST_CASE("INV-90: a thread is told by the id that it had first") {
  split::former_ids ids{};
  CHECK(split::told_id(ids, 10) == 10);
  split::renumber(ids, renumbered{{10, 20}, {11, 21}});
  split::renumber(ids, renumbered{{20, 30}, {21, 31}, {22, 32}});
  CHECK(split::told_id(ids, 30) == 10);
  CHECK(split::told_id(ids, 31) == 11);
  CHECK(split::told_id(ids, 32) == 22);
  CHECK(split::told_id(ids, 33) == 33);
  ids.process = 30;
  CHECK(split::told_process(ids, 30) == 10);
  CHECK(split::told_process(ids, 31) == 31);
}

TEST_CASE("INV-90: where ids make room, the first one of a thread stays") {
  split::former_ids ids{};
  constexpr std::int32_t threads = 200, restarts = 20;
  for (std::int32_t restart = 0; restart < restarts; ++restart) {
    renumbered all;
    for (std::int32_t i = 0; i < threads; ++i) all.push_back({1000 * (restart + 1) + i, 1000 * (restart + 2) + i});
    split::renumber(ids, all);
  }
  for (std::int32_t i = 0; i < threads; ++i) {
    CHECK(split::told_id(ids, 1000 * (restarts + 1) + i) == 1000 + i);
    CHECK(split::named_by(ids, 1000 * restarts + i) == 1000 * (restarts + 1) + i);
  }
}

}  // namespace split_former_ids_tests
