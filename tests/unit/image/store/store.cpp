// A generation exists when its manifest does, and the last two are kept.
#include "../../temporary_directory.hpp"

#include <doctest/doctest.h>

#include <runtime/store/store.hpp>

#include <filesystem>
#include <fstream>

namespace store_store_tests {

using namespace mana::store;
namespace fs = std::filesystem;

namespace {

generation make(const std::string& directory, bool complete = true) {
  const generation g = begin_generation(directory);
  std::ofstream(g.path + "/" + rank_file_name(0)) << "image";
  manifest m;
  m.ranks = 1;
  m.mpi = "MPICH";
  m.program = "pro\"gram\n";
  m.files = {{0, rank_file_name(0), 5, 100, 0xfeed}};
  m.warnings = {"one"};
  if (complete) {
    commit(g, m);
    tidy(g, kept_generations);
  }
  return g;
}

error_kind kind_of(const std::string& directory) {
  try {
    read_manifest(newest_complete(directory).path);
  } catch (const store_error& error) {
    return error.kind();
  }
  return error_kind::unwritable;
}

}  // namespace

TEST_CASE("numbers grow, the newest complete one counts, two are kept") {
  const temporary_directory scratch;
  const std::string directory = scratch.path().string() + "/deep/er";
  CHECK(make(directory).number == 1);
  CHECK(make(directory).number == 2);
  CHECK(make(directory, false).number == 3);
  CHECK(newest_complete(directory).number == 2);
  CHECK(make(directory).number == 4);
  const auto left = list(directory);
  REQUIRE(left.size() == 2);
  CHECK(left[0].number == 2);
  CHECK(left[1].number == 4);
  CHECK(newest_complete(left[0].path).number == 2);             // a generation may be named itself
}

TEST_CASE("a manifest says what was put into it") {
  const temporary_directory scratch;
  const manifest m = read_manifest(make(scratch.path().string()).path);
  CHECK(m.program == "pro\"gram\n");
  CHECK(m.files.at(0).checksum == 0xfeed);
  CHECK(m.warnings.at(0) == "one");
}

TEST_CASE("INV-20 what is not complete is no checkpoint") {
  const temporary_directory scratch;
  CHECK(kind_of(scratch.path().string() + "/none") == error_kind::no_checkpoint);
  CHECK(kind_of(scratch.path().string()) == error_kind::no_checkpoint);
  const generation half = make(scratch.path().string(), false);
  CHECK(kind_of(scratch.path().string()) == error_kind::no_checkpoint);
  abandon(half);
  CHECK_FALSE(fs::exists(half.path));
}

TEST_CASE("the number of a generation that nodes may have is not given again, by a job that does not know of nodes either") {
  const temporary_directory scratch;
  const std::string directory = scratch.path().string();
  const generation half = make(directory, false);
  abandon(half, number_after::taken);
  CHECK(fs::is_empty(half.path));
  CHECK(kind_of(directory) == error_kind::no_checkpoint);
  const generation next = make(directory);
  CHECK(next.number == half.number + 1);
  tidy(next, 2);
  CHECK_FALSE(fs::exists(half.path));
}

TEST_CASE("a damaged manifest is found, a missing image refuses the commit") {
  const temporary_directory scratch;
  const generation g = make(scratch.path().string());
  std::string text;
  {
    std::ifstream in(g.path + "/manifest.json");
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  text[text.find("MPICH")] = 'm';
  std::ofstream(g.path + "/manifest.json") << text;
  CHECK(kind_of(scratch.path().string()) == error_kind::damaged);
  const generation empty = begin_generation(scratch.path().string());
  manifest m;
  m.ranks = 1;
  m.files = {{0, rank_file_name(0), 5, 100, 0}};
  CHECK_THROWS_AS(commit(empty, m), store_error);
  CHECK_FALSE(is_complete(empty));
}

}  // namespace store_store_tests
