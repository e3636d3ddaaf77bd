// Which images go from node to node before a restart.
#include <runtime/store/nodes/local_moves.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace store_local_moves_tests {

using namespace mana::store;

namespace {

node_image image(const std::string& node, std::uint64_t generation, std::uint32_t rank,
                 std::vector<std::uint64_t> builds_on = {}, std::uint64_t nonce = 7) {
  node_image found{node, {}};
  found.about.generation = generation;
  found.about.nonce = nonce;
  found.about.rank = rank;
  found.about.ranks = 2;
  found.about.builds_on = std::move(builds_on);
  return found;
}

local_line line(const std::vector<node_image>& images, std::uint64_t generation) {
  return complete_lines(held(images), 2, generation).complete.back();
}

struct move {
  std::uint64_t generation;
  std::uint32_t rank, sender, receiver;
  bool operator==(const move&) const = default;
};

std::vector<move> moves(const std::vector<node_image>& images, std::uint64_t generation,
                        const std::vector<std::string>& nodes, const std::set<std::uint64_t>& global = {}) {
  std::vector<move> found;
  for (const image_move& m : moves_for(line(images, generation), images, nodes, global))
    found.push_back({m.about.generation, m.about.rank, m.sender, m.receiver});
  return found;
}

}  // namespace

TEST_CASE("ranks on their nodes need nothing") {
  CHECK(moves({image("a", 3, 0, {2}), image("a", 2, 0), image("b", 3, 1)}, 3, {"a", "b"}).empty());
}

TEST_CASE("exchanged ranks get their images from each other, with what they build on, once") {
  const std::vector<node_image> images{image("a", 3, 0, {1, 2}), image("a", 2, 0), image("a", 1, 0), image("b", 3, 1)};
  CHECK(moves(images, 3, {"b", "a"}) == std::vector<move>{{3, 0, 1, 0}, {1, 0, 1, 0}, {2, 0, 1, 0}, {3, 1, 0, 1}});
}

TEST_CASE("what the directory of checkpoints has is not sent, nor what nobody has") {
  const std::vector<node_image> images{image("a", 3, 0, {1, 2}), image("a", 2, 0), image("b", 3, 1)};
  CHECK(moves(images, 3, {"b", "a"}, {2}) == std::vector<move>{{3, 0, 1, 0}, {3, 1, 0, 1}});
}

TEST_CASE("a base that an earlier restart left behind is sent to an image that is where it should be") {
  const std::vector<node_image> images{image("a", 3, 0, {2}), image("b", 2, 0), image("b", 3, 1)};
  CHECK(moves(images, 3, {"a", "b"}) == std::vector<move>{{2, 0, 1, 0}});
}

TEST_CASE("the lowest rank of a node sends, and a rank of the same node takes what is there") {
  const std::vector<node_image> images{image("a", 3, 0), image("a", 3, 1)};
  CHECK(moves(images, 3, {"b", "a"}) == std::vector<move>{{3, 0, 1, 0}});
  CHECK(moves(images, 3, {"a", "a"}).empty());
  CHECK(first_rank_on(std::vector<std::string>{"x", "y", "y"}, "y") == 1);
}

TEST_CASE("an image of another attempt is not the line's") {
  const std::vector<node_image> images{image("a", 3, 0), image("b", 3, 0, {}, 6), image("a", 3, 1)};
  CHECK(moves(images, 3, {"b", "a"}) == std::vector<move>{{3, 0, 1, 0}});
}

TEST_CASE("the order in which ranks told of images does not count") {
  std::vector<node_image> images{image("a", 3, 0, {2}), image("a", 2, 0), image("c", 2, 0), image("c", 3, 0, {2}),
                                 image("b", 3, 1)};
  const std::vector<std::string> nodes{"b", "a", "c"};
  local_line line{3, 7, {{"a", "c"}, {"b"}}};
  const auto first = moves_for(line, images, std::span(nodes).first(2), {});
  std::reverse(images.begin(), images.end());
  CHECK(moves_for(line, images, std::span(nodes).first(2), {}) == first);
}

}  // namespace store_local_moves_tests
