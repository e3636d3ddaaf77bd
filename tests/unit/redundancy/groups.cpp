#include <runtime/redundancy/groups.hpp>

#include <runtime/redundancy/redundancy_error.hpp>

#include <doctest/doctest.h>
#include <set>

namespace redundancy_groups_tests {

using namespace mana::redundancy;

namespace {

std::string refusal(const std::string& text) {
  try {
    scheme::parse(text);
  } catch (const redundancy_error& error) {
    CHECK(error.kind() == error_kind::usage);
    return error.what();
  }
  return "";
}

std::vector<std::string> nodes(std::initializer_list<std::size_t> ranks_per_node) {
  std::vector<std::string> all;
  for (std::size_t node = 0; node < ranks_per_node.size(); ++node)
    all.insert(all.end(), ranks_per_node.begin()[node], "n" + std::to_string(node));
  return all;
}

bool are_on_distinct_nodes(const group& of, const std::vector<std::string>& node_of) {
  std::set<std::string> seen;
  for (const std::uint32_t rank : of.ranks) seen.insert(node_of[rank]);
  return seen.size() == of.ranks.size();
}

}  // namespace

TEST_CASE("redundancy: schemes") {
  CHECK(scheme::parse("4+1") == scheme{4, 1});
  CHECK(scheme::parse("32+8") == scheme{32, 8});
  CHECK(scheme::parse("1+1").text() == "1+1");
  CHECK(refusal("4").find("no '+'") != std::string::npos);
  CHECK(refusal("").find("no '+'") != std::string::npos);
  CHECK(refusal("0+1").find("K, the blocks of data, must be 1 to 32") != std::string::npos);
  CHECK(refusal("33+1").find("K, ") != std::string::npos);
  CHECK(refusal("4+9").find("M, the blocks of parity, must be 1 to 8") != std::string::npos);
  CHECK(refusal("4+0").find("M, ") != std::string::npos);
  CHECK(refusal("4+99999999999").find("must be 1 to 8") != std::string::npos);
  for (const char* bad : {"+", "4+", "+1", "a+1", "4+b", "4+1+1", " 4+1", "4+1 ", "-4+1", "4+-1"})
    CHECK_MESSAGE(refusal(bad).find("is not a number") != std::string::npos, bad);
}

TEST_CASE("redundancy: every rank is in one group, of at least k+m, of distinct nodes where that can be") {
  for (const auto& node_of : {nodes({1, 1, 1, 1, 1}), nodes({4, 4, 4, 4, 4}), nodes({4, 1, 3, 4, 4, 2, 4, 1}),
                              nodes({2, 2, 2, 2, 2, 2, 2, 2, 2})}) {
    const grouping all = make_groups({3, 1}, node_of);
    CHECK(all.groups.size() == node_of.size() / 4);
    std::set<std::uint32_t> seen;
    for (const group& one : all.groups) {
      CHECK(one.members() >= 4);
      CHECK(one.parity == 1);
      CHECK(one.data() == one.members() - 1);
      for (const std::uint32_t rank : one.ranks) CHECK(seen.insert(rank).second);
      CHECK(are_on_distinct_nodes(one, node_of));
    }
    CHECK(seen.size() == node_of.size());
    CHECK(all.warnings.empty());
  }
}

TEST_CASE("redundancy: ranks dealt out to nodes in turn are put on distinct nodes too") {
  std::vector<std::string> node_of;
  for (unsigned rank = 0; rank < 16; ++rank) node_of.push_back("n" + std::to_string(rank % 4));
  for (const group& one : make_groups({3, 1}, node_of).groups) CHECK(are_on_distinct_nodes(one, node_of));
}

TEST_CASE("redundancy: a node whose loss is too much is named") {
  const grouping all = make_groups({3, 1}, nodes({3, 1, 1, 1}));
  REQUIRE(all.groups.size() == 1);
  REQUIRE(all.warnings.size() == 1);
  CHECK(all.warnings[0] ==
        "losing node n0 loses 3 (ranks 0, 1, 2) of the group of ranks 0, 1, 2, 3, 4, 5, of which 1 can be rebuilt");
  CHECK(make_groups({2, 2}, nodes({2, 2})).warnings.empty());
  CHECK(make_groups({1, 1}, nodes({4})).warnings.size() == 2);
}

TEST_CASE("redundancy: too few ranks for a scheme") {
  CHECK_THROWS_WITH_AS(make_groups({4, 2}, nodes({5})), "redundancy 4+2 needs at least 6 ranks, there are 5",
                       redundancy_error);
}

}  // namespace redundancy_groups_tests
