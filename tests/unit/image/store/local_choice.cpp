// What is taken of the images that nodes have, and what of them goes.
#include <runtime/store/nodes/local_choice.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace store_local_choice_tests {

using namespace mana::store;
using numbers = std::vector<std::uint64_t>;

namespace {

std::vector<held_image> whole(std::uint64_t generation, std::uint64_t nonce, const std::vector<std::string>& nodes) {
  std::vector<held_image> images;
  const auto ranks = static_cast<std::uint32_t>(nodes.size());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) images.push_back({generation, nonce, rank, ranks, nodes[rank]});
  return images;
}

std::vector<held_image> operator+(std::vector<held_image> a, const std::vector<held_image>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

numbers generations(const local_lines& lines) {
  numbers found;
  for (const local_line& l : lines.complete) found.push_back(l.generation);
  return found;
}

}  // namespace

TEST_CASE("INV-50 what lacks a rank is passed over, with the rank") {
  auto images = whole(4, 40, {"a", "a", "b"}) + whole(5, 50, {"a", "a", "b"});
  images.pop_back();
  const local_lines lines = complete_lines(images, 3, 0);
  CHECK(generations(lines) == numbers{4});
  REQUIRE(lines.passed_over.size() == 1);
  CHECK(lines.passed_over[0] == "local generation 5: no node has the image of rank 2");
}

TEST_CASE("INV-50 images of two attempts with one number are not put together") {
  auto first = whole(5, 50, {"a", "b"}), second = whole(5, 51, {"a", "b"});
  const local_lines lines = complete_lines(std::vector{first[0], second[1]}, 2, 0);
  CHECK(lines.complete.empty());
  CHECK(lines.passed_over.size() == 2);
  const local_lines both = complete_lines(std::vector{first[0], second[1], second[0]}, 2, 0);
  REQUIRE(both.complete.size() == 1);
  CHECK(both.complete[0].nonce == 51);
}

TEST_CASE("what is older than the newest in the directory of checkpoints is not looked at; what is equal is taken") {
  const auto images = whole(4, 40, {"a"}) + whole(5, 50, {"a"}) + whole(6, 60, {"a"});
  CHECK(generations(complete_lines(images, 1, 5)) == numbers{6, 5});
  CHECK(complete_lines(images, 1, 7).complete.empty());
}

TEST_CASE("images of a job of another size are no line of this one's") {
  const local_lines lines = complete_lines(whole(5, 50, {"a", "a", "b"}), 2, 0);
  CHECK(lines.complete.empty());
  REQUIRE(lines.passed_over.size() == 1);
  CHECK(lines.passed_over[0] == "local generation 5: it belongs to a job of 3 ranks, this one has 2");
}

TEST_CASE("the order in which nodes tell what they have makes no difference") {
  auto images = whole(4, 40, {"a", "b"}) + whole(5, 50, {"b", "a"}) + whole(5, 50, {"c", "a"});
  const local_lines one = complete_lines(images, 2, 0);
  std::reverse(images.begin(), images.end());
  const local_lines other = complete_lines(images, 2, 0);
  REQUIRE(one.complete.size() == 2);
  CHECK(one.complete[0].holders == other.complete[0].holders);
  CHECK(one.complete[0].holders[0] == std::vector<std::string>{"b", "c"});
}

TEST_CASE("a rank takes the image of its own node, else that of the first that has it") {
  const local_lines lines = complete_lines(whole(5, 50, {"b", "b"}) + whole(5, 50, {"c", "b"}), 2, 0);
  REQUIRE(lines.complete.size() == 1);
  CHECK(holder_for(lines.complete[0], 0, "c") == "c");
  CHECK(holder_for(lines.complete[0], 0, "a") == "b");
  CHECK(holder_for(lines.complete[0], 1, "c") == "b");
}

TEST_CASE("INV-51 what is older than the newest in the directory of checkpoints goes") {
  const std::vector<own_image> images{{3, true}, {4, true}, {5, true}};
  CHECK(superfluous_local(images, {}, 5, 5) == numbers{3, 4});
  CHECK(superfluous_local(images, {}, 5, 4) == numbers{3});
}

TEST_CASE("INV-51 what was not copied stays until something newer is on all nodes") {
  const std::vector<own_image> images{{4, true}, {5, false}, {6, false}};
  CHECK(superfluous_local(images, {}, 5, 4).empty());             // 6 is not on all nodes
  CHECK(superfluous_local(images, {}, 6, 4) == numbers{5});
  CHECK(superfluous_local(images, {}, 6, 6) == numbers{4, 5});
}

TEST_CASE("INV-51 what a newer one refers to stays if it is nowhere else") {
  const std::vector<own_image> images{{3, false}, {4, false, {3}}, {5, true, {}}, {6, false, {4, 5}}};
  CHECK(superfluous_local(images, {}, 6, 0).empty());
  CHECK(superfluous_local(images, {}, 6, 6) == numbers{5});
}

TEST_CASE("where nothing is known to be complete nothing goes") {
  CHECK(superfluous_local(std::vector<own_image>{{1, false}, {2, false}}, {}, 0, 0).empty());
}

TEST_CASE("INV-51 what other ranks' newest images refer to stays: its parity can rebuild theirs") {
  const std::vector<own_image> images{{3, false}, {4, false}, {5, true}, {6, false, {5}}};
  CHECK(superfluous_local(images, numbers{3, 5}, 6, 6) == numbers{4, 5});
  CHECK(superfluous_local(images, numbers{3, 5}, 6, 5) == numbers{4});
}

}  // namespace store_local_choice_tests
