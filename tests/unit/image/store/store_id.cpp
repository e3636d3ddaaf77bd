// The name of a directory of checkpoints, by which a node's images are known to be of it.
#include "../../temporary_directory.hpp"

#include <runtime/store/nodes/local_store.hpp>
#include <runtime/store/store_id.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <fstream>
#include <future>
#include <set>

namespace store_store_id_tests {

using namespace mana;
namespace fs = std::filesystem;

TEST_CASE("a directory of checkpoints has one name, however often it is asked for, and another after it was made anew") {
  temporary_directory scratch;
  const std::string directory = scratch.path() / "ckpt";
  CHECK(!store::read_store_id(directory));
  const std::string id = store::make_store_id(directory);
  CHECK(id.size() == 32);
  CHECK(store::make_store_id(directory) == id);
  CHECK(store::read_store_id(directory) == id);
  fs::rename(directory, scratch.path() / "moved");
  CHECK(store::read_store_id(scratch.path() / "moved") == id);
  CHECK(store::make_store_id(directory) != id);
  struct stat about{};
  REQUIRE(lstat((directory + "/store-id").c_str(), &about) == 0);
  CHECK((about.st_mode & 07777) == 0600);
}

TEST_CASE("jobs that begin at the same time agree on the name") {
  temporary_directory scratch;
  const std::string directory = scratch.path() / "ckpt";
  std::vector<std::future<std::string>> jobs;
  for (int j = 0; j < 16; ++j)
    jobs.push_back(std::async(std::launch::async, [&] { return store::make_store_id(directory); }));
  std::set<std::string> names;
  for (auto& job : jobs) names.insert(job.get());
  CHECK(names.size() == 1);
}

TEST_CASE("what is no name is refused, with what to do; a link is not followed") {
  temporary_directory scratch;
  const fs::path directory = scratch.path() / "ckpt";
  store::make_store_id(directory);
  for (const std::string text : {"", "short", "../../../../../../../etc/passwdxx", "0123456789ABCDEF0123456789ABCDEF",
                                 "0123456789abcdef0123456789abcdef0123456789abcdef"}) {
    std::ofstream(directory / "store-id") << text;
    try {
      store::read_store_id(directory);
      FAIL("taken: " << text);
    } catch (const store::store_error& error) {
      CHECK(error.kind() == store::error_kind::damaged);
      CHECK(std::string(error.what()).find("store-id") != std::string::npos);
    }
  }
  fs::remove(directory / "store-id");
  std::ofstream(scratch.path() / "elsewhere") << "0123456789abcdef0123456789abcdef";
  fs::create_symlink(scratch.path() / "elsewhere", directory / "store-id");
  CHECK_THROWS_AS(store::read_store_id(directory), store::store_error);
}

TEST_CASE("a generation's number is not below what is asked for") {
  temporary_directory scratch;
  const std::string directory = scratch.path() / "ckpt";
  const auto first = store::begin_generation(directory, 7);
  CHECK(first.number == 7);
  store::abandon(first);
  CHECK(store::begin_generation(directory, 8).number == 8);
  CHECK(store::begin_generation(directory, 3).number == 9);
}

TEST_CASE("a node's directory is named from the root") {
  CHECK(store::local_directory("/tmp/%n", "n1") == "/tmp/n1");
  CHECK_THROWS_AS(store::local_directory("tmp/%n", "n1"), store::store_error);
  CHECK_THROWS_AS(store::local_directory("%n/tmp", "/etc"), store::store_error);
}

}  // namespace store_store_id_tests
