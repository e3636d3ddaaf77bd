// Two who use one directory of checkpoints at the same time.
#include "../../temporary_directory.hpp"
#include "checkpoints.hpp"

#include <runtime/store/directory_lock.hpp>
#include <runtime/store/removal.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace store_store_locks_tests {

using namespace mana;
namespace fs = std::filesystem;
using numbers = std::vector<std::uint64_t>;

namespace {

constexpr std::chrono::milliseconds at_once{0};

store::manifest without_images() {
  store::manifest m;
  m.program = "/bin/program";
  return m;
}

}  // namespace

TEST_CASE("what is being written is not removed by who commits something newer, what was left behind is") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  const auto slow = store::begin_generation(made.directory());
  {
    const auto dead = store::begin_generation(made.directory());
    CHECK(dead.number == 2);
  }
  CHECK(made.add([](auto&) {}, 1).number == 3);
  CHECK(fs::exists(slow.path));
  CHECK_FALSE(fs::exists(fs::path(made.directory()) / "gen-000002"));
  store::commit(slow, without_images());
  CHECK(store::read_manifest(slow.path).generation == 1);
}

TEST_CASE("two who begin at the same time get different numbers") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  const auto all = files::own_directory::open(made.directory());
  const auto other = store::directory_lock::of_generation(all, 2);      // it has the number, and no directory yet
  REQUIRE(other.end() == store::lock_end::held);
  CHECK(store::begin_generation(made.directory()).number == 3);
}

TEST_CASE("a copy of the process does not keep a lock that was released") {
  const temporary_directory scratch;
  const auto all = files::own_directory::make((scratch.path() / "c").string());
  auto lock = store::directory_lock::of_all(all, store::lock_kind::exclusive, at_once);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    char none = 0;
    _exit(read(ends[0], &none, 1) == 0 ? 0 : 1);       // as long as this test
  }
  close(ends[0]);
  CHECK(store::directory_lock::of_all(all, store::lock_kind::shared, at_once).end() == store::lock_end::busy);
  lock.release();
  CHECK(store::directory_lock::of_all(all, store::lock_kind::exclusive, at_once).end() == store::lock_end::held);
  close(ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("nothing is removed while somebody restarts or commits") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  made.add();
  const auto all = files::own_directory::open(made.directory());
  {
    const auto reader = store::directory_lock::of_all(all, store::lock_kind::shared, at_once);
    const auto another = store::directory_lock::of_all(all, store::lock_kind::shared, at_once);
    CHECK(another.end() == store::lock_end::held);
    constexpr std::chrono::milliseconds a_moment{20};
    const auto result = store::remove_superfluous(made.directory(), 1, false, a_moment);
    CHECK(result.removed.empty());
    REQUIRE(result.problems.size() == 1);
    CHECK(result.problems[0].find("a job writes or restarts a checkpoint there") != std::string::npos);
    made.add([](auto&) {}, 1);                         // itself is not kept from being committed
    CHECK(store::list(made.directory()).size() == 3);
  }
  CHECK(store::prune(made.directory(), 1).removed == numbers{1, 2});
}

TEST_CASE("INV-36 what refers to a generation that was removed is not committed") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  made.add();
  const auto g = store::begin_generation(made.directory());
  CHECK(store::prune(made.directory(), 1).removed == numbers{1});
  auto m = without_images();
  m.builds_on = {1, 2};
  CHECK_THROWS_WITH_AS(store::commit(g, m), doctest::Contains("gen-000001: the images have a part of their memory there"),
                       store::store_error);
  CHECK_FALSE(store::is_complete(g));
  m.builds_on = {2};
  store::commit(g, m);
  store::tidy(g, 1);
  CHECK(store::list(made.directory()).size() == 2);   // with what it refers to
}

TEST_CASE("a dry run says what would go, and what it takes, and removes nothing") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  const auto first = made.add();
  made.add();
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(first.path)) bytes += entry.file_size();
  const auto would = store::prune(made.directory(), 1, true);
  CHECK(would.removed == numbers{1});
  CHECK(would.bytes == bytes);
  CHECK(store::list(made.directory()).size() == 2);
}

TEST_CASE("where there are no locks, what was written to lately stays") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  const auto left = store::begin_generation(made.directory());
  left.writing->release();
  fs::remove(fs::path(made.directory()) / "lock");
  fs::create_directory(fs::path(made.directory()) / "lock");            // it cannot be opened for writing
  made.add([](auto&) {}, 1);
  CHECK(fs::exists(left.path));
  const timespec long_ago[2] = {{1'000'000, 0}, {1'000'000, 0}};
  REQUIRE(utimensat(AT_FDCWD, left.path.c_str(), long_ago, 0) == 0);
  CHECK(store::prune(made.directory(), 1).removed == numbers{1});
}

TEST_CASE("a generation whose manifest the system cannot read is not removed, nor what it may refer to") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  for (int i = 0; i < 5; ++i) made.add();
  const fs::path manifest = fs::path(made.directory()) / "gen-000003" / "manifest.json";
  fs::permissions(manifest, fs::perms(0602));          // refused, whoever asks
  const auto result = store::prune(made.directory(), 1);
  CHECK(result.removed == numbers{4});
  REQUIRE(result.problems.size() == 1);
  CHECK(result.problems[0].find(manifest.string()) == 0);
  fs::permissions(manifest, fs::perms(0600));
  CHECK(store::prune(made.directory(), 1).removed == numbers{1, 2, 3});
}

TEST_CASE("INV-36 what refers to a generation that a restart found damaged is not committed") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  store::mark_failed(made.add(), "rank 0: spoilt");
  const auto g = store::begin_generation(made.directory());
  auto m = without_images();
  m.builds_on = {1};
  CHECK_THROWS_WITH_AS(store::commit(g, m), doctest::Contains("gen-000001: the images have a part of their memory there, and a restart"),
                       store::store_error);
  CHECK_FALSE(store::is_complete(g));
}

TEST_CASE("who asks for the state of generations keeps nobody from taking one") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  const auto all = files::own_directory::open(made.directory());
  using store::directory_lock, store::lock_end;
  CHECK(directory_lock::state_of_generations(all, 1, 100) == lock_end::held);
  const auto writing = store::begin_generation(made.directory());
  CHECK(writing.number == 2);
  CHECK(directory_lock::state_of_generations(all, 1, 100) == lock_end::busy);
  CHECK(directory_lock::state_of_generations(all, 3, 100) == lock_end::held);
  CHECK(directory_lock::state_of_generation(all, 2) == lock_end::busy);
}

}  // namespace store_store_locks_tests
