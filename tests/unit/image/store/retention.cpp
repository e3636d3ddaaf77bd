// Which generations go: what is older than the newest that are kept, and nothing that these need.
#include <doctest/doctest.h>

#include <runtime/store/retention.hpp>

#include <stdexcept>

namespace store_retention_tests {

using namespace mana::store;
using state = generation_state;

namespace {

using numbers = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("INV-34 the newest are kept, and what they refer to") {
  const std::vector<kept_generation> whole{{1}, {2}, {3}, {4}};
  CHECK(superfluous(whole, 2) == numbers{1, 2});
  CHECK(superfluous(whole, 1) == numbers{1, 2, 3});
  CHECK(superfluous(whole, 4).empty());
  CHECK(superfluous(whole, 9).empty());
  CHECK(superfluous(whole, keep_all).empty());
  CHECK(superfluous({}, 1).empty());
  const std::vector<kept_generation> chain{{1}, {2, state::sound, {1}}, {3, state::sound, {1, 2}}, {4}, {5, state::sound, {4}}};
  CHECK(superfluous(chain, 1) == numbers{1, 2, 3});
  CHECK(superfluous(chain, 2) == numbers{1, 2, 3});
  CHECK(superfluous(chain, 3).empty());                      // 3 needs both
  const std::vector<kept_generation> steps{{1}, {2, state::sound, {1}}, {3, state::sound, {2}}, {4}, {5, state::sound, {3}}};
  CHECK(superfluous(steps, 1) == numbers{4});                // else 3 and 2 would be there, and not restart
}

TEST_CASE("one that failed is none of those that are kept, and goes when it would have") {
  const std::vector<kept_generation> some{{1}, {2}, {3, state::failed}, {4}};
  CHECK(superfluous(some, 1) == numbers{1, 2, 3});
  CHECK(superfluous(some, 2) == numbers{1});
  CHECK(superfluous(some, 3).empty());
  const std::vector<kept_generation> newest{{1}, {2, state::sound, {1}}, {3, state::failed}, {4, state::damaged}};
  CHECK(superfluous(newest, 1).empty());                     // 2 is the newest sound one
  const std::vector<kept_generation> needed{{1, state::failed}, {2, state::sound, {1}}};
  CHECK(superfluous(needed, 1).empty());
}

TEST_CASE("what was left incomplete goes once something newer is complete; what is being written stays") {
  const std::vector<kept_generation> some{{1, state::incomplete}, {2}, {3, state::incomplete}};
  CHECK(superfluous(some, 2) == numbers{1});
  const std::vector<kept_generation> written{{1, state::being_written}, {2}, {3}};
  CHECK(superfluous(written, 1) == numbers{2});
  const std::vector<kept_generation> none{{1, state::incomplete}, {2, state::incomplete}};
  CHECK(superfluous(none, 1).empty());
  const std::vector<kept_generation> behind_failed{{1, state::incomplete}, {2, state::failed}};
  CHECK(superfluous(behind_failed, 1).empty());
}

TEST_CASE("INV-34 what was left behind where no node has images means nothing, and goes also as the newest") {
  const std::vector<kept_generation> none{{1, state::left_behind}, {2, state::left_behind}};
  CHECK(superfluous(none, 1) == numbers{1, 2});
  const std::vector<kept_generation> newest{{1}, {2, state::sound, {1}}, {3, state::left_behind}, {4, state::being_written}};
  CHECK(superfluous(newest, 1) == numbers{3});
  CHECK(superfluous(newest, keep_all) == numbers{3});
  const std::vector<kept_generation> unreadable{{1, state::left_behind}, {2, state::unreadable}, {3, state::left_behind}};
  CHECK(superfluous(unreadable, 1) == numbers{3});
}

TEST_CASE("INV-34 what cannot be read stays, with all before it") {
  const std::vector<kept_generation> some{{1}, {2}, {3, state::unreadable}, {4}, {5}, {6}};
  CHECK(superfluous(some, 1) == numbers{4, 5});
  CHECK(superfluous(some, 3).empty());
  const std::vector<kept_generation> newest{{1}, {2}, {3}, {4, state::unreadable}};
  CHECK(superfluous(newest, 1).empty());
}

TEST_CASE("how many are kept is a number in bounds, or all") {
  CHECK(parse_keep("1") == 1);
  CHECK(parse_keep("1000") == 1000);
  CHECK(parse_keep("all") == keep_all);
  for (const char* const wrong : {"0", "1001", "-1", "", "2x", " 2", "ALL", "99999999999999999999"})
    CHECK_THROWS_AS(parse_keep(wrong), std::invalid_argument);
}

}  // namespace store_retention_tests
