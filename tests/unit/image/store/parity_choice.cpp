// Which images that are on no node can be rebuilt, and why others cannot.
#include <runtime/store/nodes/parity_choice.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace store_parity_choice_tests {

using namespace mana::store;

namespace {

const parity_group evens{1, {0, 2, 4}}, odds{2, {5, 3, 1}};

node_image image(std::uint64_t generation, std::uint32_t rank, const parity_group& group, std::uint64_t nonce = 9) {
  node_image one{"n" + std::to_string(rank), {}};
  one.about.generation = generation;
  one.about.nonce = nonce;
  one.about.rank = rank;
  one.about.ranks = 6;
  one.about.group = group;
  return one;
}

std::vector<node_image> without(const std::vector<std::uint32_t>& lost) {
  std::vector<node_image> images;
  for (std::uint32_t rank = 0; rank < 6; ++rank)
    if (std::find(lost.begin(), lost.end(), rank) == lost.end())
      images.push_back(image(7, rank, rank % 2 == 0 ? evens : odds));
  return images;
}

local_attempt only(const std::vector<node_image>& images) {
  const auto found = local_attempts(images, 6);
  REQUIRE(found.size() == 1);
  return found[0];
}

}  // namespace

TEST_CASE("what a group can lose is rebuilt, in each group by itself") {
  CHECK(only(without({})).is_complete);
  CHECK(only(without({})).broken.empty());
  const local_attempt one = only(without({2}));
  CHECK_FALSE(one.is_complete);
  REQUIRE(one.broken.size() == 1);
  CHECK(one.broken[0].group == evens);
  CHECK(one.broken[0].lost == std::vector<std::uint32_t>{2});
  const local_attempt three = only(without({0, 1, 5}));
  REQUIRE(three.broken.size() == 2);
  CHECK(three.broken[0].lost == std::vector<std::uint32_t>{0});
  CHECK(three.broken[1].group == odds);
  CHECK(three.broken[1].lost == std::vector<std::uint32_t>{1, 5});
}

TEST_CASE("what is too much is said with the ranks") {
  const local_attempt two = only(without({4, 0}));
  CHECK(two.broken.empty());
  CHECK(two.obstacle == "the images of ranks 0, 4 are on no node, and of the group of ranks 0, 2, 4 1 can be rebuilt");
  const local_attempt all_odds = only(without({1, 3, 5}));
  CHECK(all_odds.obstacle == "the image of rank 1 is on no node, and no parity of it");
  std::vector<node_image> mixed = without({2});
  mixed[0].about.group = {1, {0, 2}};
  CHECK(only(mixed).obstacle == "sidecars contradict each other about the parity");
}

TEST_CASE("without parity there is nothing to say, and other jobs' images are not looked at") {
  std::vector<node_image> images = without({3});
  for (node_image& i : images) i.about.group = {};
  CHECK_FALSE(only(images).is_complete);
  CHECK(only(images).obstacle.empty());
  CHECK(only(images).broken.empty());
  CHECK(local_attempts(images, 5).empty());
}

TEST_CASE("attempts are apart, newest first, in whatever order they are told") {
  std::vector<node_image> images = without({2});
  for (std::uint32_t rank = 0; rank < 6; ++rank) images.push_back(image(7, rank, {}, 3));
  images.push_back(image(9, 0, {}));
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(images.begin(), images.end(), random);
    const auto found = local_attempts(images, 6);
    REQUIRE(found.size() == 3);
    CHECK(found[0].generation == 9);
    CHECK(found[1].nonce == 9);
    CHECK(found[1].broken.size() == 1);
    CHECK(found[2].nonce == 3);
    CHECK(found[2].is_complete);
  }
}

}  // namespace store_parity_choice_tests
