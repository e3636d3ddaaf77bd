// What prune removes, and what it says of it.
#include "../../temporary_directory.hpp"
#include "../../without_rights.hpp"
#include "checkpoints.hpp"
#include "in_child.hpp"

#include <runtime/store/store_id.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace store_prune_tests {

using namespace mana;
namespace fs = std::filesystem;
using numbers = std::vector<std::uint64_t>;

namespace {

std::uint64_t bytes_in(const fs::path& directory) {
  std::uint64_t bytes = 0;
  for (const auto& file : fs::directory_iterator(directory)) bytes += file.file_size();
  return bytes;
}

/// Begun, and given up by a process that died.
void leave_behind(const checkpoints& made) {
  const auto g = store::begin_generation(made.directory());
  checkpoints::put(g, "rank-00000.mana", "a part");
}

std::string refusal(const std::string& directory) {
  try {
    store::prune(directory, 1);
  } catch (const store::store_error& error) {
    CHECK(error.kind() == store::error_kind::no_checkpoint);
    return error.what();
  }
  return "not refused";
}

}  // namespace

TEST_CASE("what could not be removed is not said to be, nor its bytes to be free") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  const auto closed = made.add(), open = made.add();
  made.add();
  const std::uint64_t bytes = bytes_in(open.path);
  fs::permissions(closed.path, fs::perms(0500));
  CHECK(in_child([&]() -> std::string {
    give_up_rights_over_files();
    const auto done = store::prune(made.directory(), 1);
    if (done.removed != numbers{2} || done.bytes != bytes) return std::to_string(done.bytes);
    return done.problems.size() == 1 && done.problems[0].find("gen-000001/manifest.json: cannot be removed") != std::string::npos
               ? ""
               : std::to_string(done.problems.size()) + done.problems.at(0);
  }) == "");
  CHECK(store::is_complete(closed));
  fs::permissions(closed.path, fs::perms(0700));
}

TEST_CASE("images without a manifest that cannot be removed are a problem, too") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  leave_behind(made);
  const fs::path left = fs::path(made.directory()) / "gen-000001";
  fs::permissions(left, fs::perms(0500));
  CHECK(in_child([&]() -> std::string {
    give_up_rights_over_files();
    const auto done = store::prune(made.directory(), 1);
    return done.removed.empty() && done.bytes == 0 && done.problems.size() == 1 ? "" : "said to be removed";
  }) == "");
  CHECK(fs::exists(left / "rank-00000.mana"));
  fs::permissions(left, fs::perms(0700));
}

TEST_CASE("what somebody else removes meanwhile is no problem, and not said to be removed here") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  const auto first = made.add(), second = made.add();
  made.add();
  const std::uint64_t bytes = bytes_in(second.path);
  store::work_listener another;
  another.begins = [&](const std::vector<store::work_size>&) { fs::remove_all(first.path); };
  const auto done = store::prune(made.directory(), 1, false, another);
  CHECK(done.problems.empty());
  CHECK(done.removed == numbers{2});
  CHECK(done.bytes == bytes);
}

TEST_CASE("what a dead writer left goes also as the newest, unless nodes may have images of it") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  leave_behind(made);
  CHECK(store::prune(made.directory(), 2).removed == numbers{1});
  made.add();
  leave_behind(made);
  store::make_store_id(made.directory());
  CHECK(store::prune(made.directory(), 2).removed.empty());
  fs::remove(fs::path(made.directory()) / "store-id");
  {
    const auto written = store::begin_generation(made.directory());
    CHECK(store::prune(made.directory(), 2).removed == numbers{2});
    CHECK(fs::exists(written.path));
  }
}

TEST_CASE("a directory without checkpoints, and a checkpoint, are not pruned") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  CHECK(refusal(made.directory()).find("no such") != std::string::npos);
  CHECK(refusal(scratch.path()).find("there is no checkpoint") != std::string::npos);
  const auto only = made.add();
  CHECK(refusal(only.path + "/").find("this is one checkpoint") != std::string::npos);
  CHECK_FALSE(fs::exists(fs::path(only.path) / "lock"));
}

TEST_CASE("who only asks what would be removed leaves nothing behind") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  made.add();
  const fs::path lock = fs::path(made.directory()) / "lock";
  fs::remove(lock);
  const auto done = store::prune(made.directory(), 1, true);
  CHECK(done.removed == numbers{1});
  CHECK(done.bytes == bytes_in(fs::path(made.directory()) / "gen-000001"));
  CHECK_FALSE(fs::exists(lock));
}

}  // namespace store_prune_tests
