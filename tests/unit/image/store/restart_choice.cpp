// Which checkpoint a restart takes where images are on the nodes too.
#include "../../temporary_directory.hpp"
#include "checkpoints.hpp"

#include <runtime/store/nodes/restart_choice.hpp>

#include <doctest/doctest.h>

namespace store_restart_choice_tests {

using namespace mana;
using store::error_kind;
using store::node_image;
using store::restart_choice;

namespace {

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

/// As checkpoints::add() makes them.
node_image of_rank(std::uint64_t generation, std::uint32_t rank, std::uint32_t ranks = 2) {
  node_image found{rank == 0 ? "a" : "b", {}};
  found.about.generation = generation;
  found.about.nonce = 70 + generation;
  found.about.rank = rank;
  found.about.ranks = ranks;
  found.about.mpi = "MPICH";
  found.about.program = "/bin/program";
  found.about.build_id = "b";
  return found;
}

std::vector<node_image> both(std::initializer_list<std::uint64_t> generations) {
  std::vector<node_image> images;
  for (const std::uint64_t g : generations)
    for (const std::uint32_t rank : {0u, 1u}) images.push_back(of_rank(g, rank));
  return images;
}

/// The same images as in the directory of checkpoints.
void copy_of(std::vector<node_image>& images, const store::generation& g) {
  const store::manifest m = store::read_manifest(g.path);
  for (node_image& i : images)
    if (i.about.generation == g.number) i.about.checksum = m.files.at(i.about.rank).checksum;
}

/// What is said, until nothing is left: numbers, those on the nodes with "n".
std::string order(restart_choice& choice) {
  std::string text;
  try {
    for (;;) {
      const auto& c = choice.current();
      text += (text.empty() ? "" : " ") + std::to_string(c.which.number) + (c.local ? "n" : "");
      choice.refuse(error_kind::damaged, "why " + std::to_string(c.which.number));
    }
  } catch (const store::store_error& error) {
    return text + ": " + error.what();
  }
}

}  // namespace

TEST_CASE("INV-52 newest first, wherever they lie; the same one on the nodes first") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  auto images = both({6, 5, 4, 2});
  for (int i = 0; i < 4; ++i) copy_of(images, made.add());
  restart_choice choice(made.directory(), images);
  CHECK(choice.global() == std::set<std::uint64_t>{1, 2, 3, 4});
  const std::string said = order(choice);
  CHECK(has(said, "6n 5n 4n 4 3 2n 2 1: why 4"));
  CHECK(has(said, "and on the nodes generation 6: why 6"));
}

TEST_CASE("the directory of checkpoints is newer, or has nothing") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  {
    restart_choice choice(made.directory(), {});
    CHECK_THROWS_WITH_AS(choice.current(), doctest::Contains("no such directory"), store::store_error);
  }
  std::filesystem::create_directory(made.directory());
  restart_choice only(made.directory(), both({2, 1}));
  CHECK(only.current().name() == "the images on the nodes, generation 2");
  CHECK(has(order(only), "2n 1n: "));
  made.add();
  made.add();
  restart_choice older(made.directory(), both({1}));
  CHECK(older.current().which.number == 2);
  CHECK_FALSE(older.current().local);
  CHECK(older.explanation().empty());
}

TEST_CASE("what lacks a rank is said if it is newer than what is taken, and not else") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  auto images = both({5, 3});
  images.push_back(of_rank(6, 0));
  images.push_back(of_rank(4, 1));
  restart_choice choice(made.directory(), images);
  CHECK(choice.current().which.number == 5);
  CHECK(choice.explanation() == "local generation 6: no node has the image of rank 1\n");
  choice.refuse(error_kind::missing_file, "rank 1: gone");
  CHECK(choice.current().which.number == 3);
  CHECK(has(choice.explanation(), "local generation 4: no node has the image of rank 0\n"));
  CHECK(has(choice.explanation(), "local generation 5: rank 1: gone\n"));
  choice.refuse(error_kind::missing_file, "rank 1: gone too");
  CHECK(choice.current().which.number == 1);
  CHECK(has(choice.explanation(), "local generation 3: rank 1: gone too\n"));
}

TEST_CASE("INV-52 an attempt that only got the same number is not taken for the checkpoint") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  auto images = both({1});
  copy_of(images, made.add());
  images[1].about.checksum ^= 1;
  restart_choice choice(made.directory(), images);
  CHECK_FALSE(choice.current().local);
  CHECK(has(choice.explanation(), "local generation 1: it is not the checkpoint that is in " + made.directory()));
}

TEST_CASE("a damaged newest one in the directory of checkpoints does not hide older ones on the nodes") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  made.add();
  const auto newest = made.add();
  auto images = both({2});
  copy_of(images, {made.directory() + "/gen-000002", 2});
  restart_choice choice(made.directory(), images);
  CHECK(choice.current().which.number == 3);
  choice.refuse(error_kind::damaged, "rank 0: spoilt");
  CHECK(choice.current().local);
  CHECK(choice.current().which.number == 2);
  CHECK(has(choice.explanation(), "checkpoint 3 is skipped: rank 0: spoilt"));
  choice.mark_refused();
  CHECK(store::failure_of(newest));
}

TEST_CASE("INV-35 one that failed in the directory of checkpoints does not count") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  auto images = both({1});
  copy_of(images, made.add());
  store::mark_failed(made.add(), "rank 1: a chunk's checksum is wrong");
  restart_choice choice(made.directory(), images);
  CHECK(choice.global() == std::set<std::uint64_t>{1});
  CHECK(choice.current().which.number == 1);
  CHECK(choice.current().local);
}

TEST_CASE("only what is of the same program and as many ranks is taken in place of the newest") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add([](store::manifest& m) { m.program = "/bin/other"; });
  auto images = both({5, 3, 2});
  images[2].about.build_id = images[3].about.build_id = "c";
  restart_choice choice(made.directory(), images);
  const std::string said = order(choice);
  CHECK(has(said, "5n 2n: "));
  CHECK(has(said, "generation 3: it is a checkpoint of another build"));
  CHECK(has(said, "it is a checkpoint of /bin/other"));
}

TEST_CASE("the newest is said with its number of ranks, whatever that of older ones is") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  const std::vector<node_image> images{of_rank(4, 0, 1), of_rank(3, 0), of_rank(3, 1)};
  restart_choice choice(made.directory(), images);
  CHECK(choice.current().contents.ranks == 1);
  CHECK(choice.current().which.number == 4);
}

TEST_CASE("a generation that is named itself is the only one") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  const auto first = made.add();
  made.add();
  restart_choice choice(first.path, {});
  CHECK(choice.current().which.number == 1);
  CHECK(choice.current().name() == first.path);
}

TEST_CASE("one that cannot be examined is not complete, and the others are") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  const auto oldest = made.add();
  made.add();
  std::filesystem::permissions(oldest.path, std::filesystem::perms::others_write, std::filesystem::perm_options::add);
  CHECK(store::complete_in(made.directory()) == std::set<std::uint64_t>{2});
}

TEST_CASE("another program's checkpoint between does not hide an older one of the program") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  made.add([](auto& m) { m.program = "/bin/other"; });
  restart_choice choice(made.directory(), both({3}));
  CHECK(choice.current().local);
  choice.refuse(error_kind::missing_file, "rank 1: gone");
  CHECK(choice.current().which.number == 1);
  CHECK(has(choice.explanation(), "gen-000002: it is a checkpoint of /bin/other"));
}

TEST_CASE("images that were rebuilt meanwhile count") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  auto images = both({2});
  images.pop_back();
  restart_choice choice(made.directory(), images);
  CHECK(choice.current().which.number == 1);
  choice.refuse(error_kind::damaged, "rank 0: spoilt");
  choice.look_again(both({2}));
  CHECK(choice.current().local);
}

}  // namespace store_restart_choice_tests
