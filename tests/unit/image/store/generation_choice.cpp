// Which checkpoint a restart takes, and what it says of those that it does not.
#include "../../temporary_directory.hpp"
#include "checkpoints.hpp"

#include <runtime/store/generation_choice.hpp>

#include <doctest/doctest.h>

namespace store_generation_choice_tests {

using namespace mana;
using store::error_kind;
using store::generation_choice;

namespace {

std::string error_of(const std::string& directory, error_kind expected) {
  try {
    generation_choice(directory).current();
    return "one was taken";
  } catch (const store::store_error& error) {
    CHECK(error.kind() == expected);
    return error.what();
  }
}

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("the newest complete one is taken, and nothing is said") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  made.add();
  store::begin_generation(made.directory());
  generation_choice choice(made.directory());
  CHECK(choice.current().which.number == 2);
  CHECK(choice.current().contents.generation == 2);
  CHECK(choice.explanation().empty());
  choice.mark_refused();
  CHECK_FALSE(store::failure_of(choice.current().which));
}

TEST_CASE("one whose manifest is damaged is passed over, by name and cause, and marked") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  const auto newest = made.add();
  made.spoil(newest, "manifest.json", 40);
  generation_choice choice(made.directory());
  CHECK(choice.current().which.number == 1);
  CHECK(has(choice.explanation(), "checkpoint 2 is skipped: " + newest.path + "/manifest.json: the manifest is "
                                                                              "damaged"));
  CHECK_FALSE(store::failure_of(newest));
  choice.mark_refused();
  CHECK(has(store::failure_of(newest).value_or(""), "the manifest is damaged"));
}

TEST_CASE("INV-35 one that failed before is passed over, unless it is named itself") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  const auto newest = made.add();
  store::mark_failed(newest, "rank 1: a chunk's checksum is wrong");
  store::mark_failed(newest, "a later reason");
  generation_choice choice(made.directory());
  CHECK(choice.current().which.number == 1);
  CHECK(has(choice.explanation(), "a restart from it failed: "));
  CHECK(has(choice.explanation(), "Z rank 1: a chunk's checksum is wrong; to try it again, name this checkpoint: mana restart " + newest.path));
  generation_choice named(newest.path);
  CHECK(named.current().which.number == 2);
}

TEST_CASE("who looks at images refuses on, until nothing is left: then all reasons are given") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  for (int i = 0; i < 3; ++i) made.add();
  generation_choice choice(made.directory());
  CHECK(choice.current().which.number == 3);
  choice.refuse(error_kind::missing_file, "rank 4: a: gone");
  CHECK(choice.current().which.number == 2);
  choice.refuse(error_kind::unreadable, "rank 0: b: Input/output error");
  CHECK(choice.current().which.number == 1);
  choice.mark_refused();
  CHECK(store::failure_of(store::list(made.directory())[2]));
  CHECK_FALSE(store::failure_of(store::list(made.directory())[1]));      // the machine's fault is not the checkpoint's
  choice.refuse(error_kind::damaged, "c: broken");
  try {
    choice.current();
    FAIL("one was taken");
  } catch (const store::store_error& error) {
    CHECK(error.kind() == error_kind::missing_file);
    CHECK(std::string(error.what()) ==
          "rank 4: a: gone\n      and before it: rank 0: b: Input/output error\n      and before it: c: broken");
  }
}

TEST_CASE("an older one of another program, MPI or number of ranks is not taken in its stead") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add([](store::manifest& m) { m.program = "/bin/other"; });
  made.add([](store::manifest& m) { m.build_id = "other"; });
  made.add([](store::manifest& m) { m.mpi = "Open MPI"; });
  made.add();
  generation_choice choice(made.directory());
  CHECK(choice.current().which.number == 4);
  choice.refuse(error_kind::damaged, "x");
  try {
    choice.current();
    FAIL("one was taken");
  } catch (const store::store_error& error) {
    CHECK(error.kind() == error_kind::damaged);
    CHECK(has(error.what(), "it was made with Open MPI"));
    CHECK(has(error.what(), "another build of"));
    CHECK(has(error.what(), "it is a checkpoint of /bin/other"));
  }
  choice.mark_refused();
  CHECK_FALSE(store::failure_of(store::list(made.directory())[0]));
}

TEST_CASE("a generation that is named itself is taken or none") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  const auto second = made.add();
  generation_choice choice(second.path + "/");
  CHECK(choice.current().which.number == 2);
  choice.refuse(error_kind::damaged, "x");
  CHECK_THROWS_AS(choice.current(), store::store_error);
}

TEST_CASE("what a newer mana wrote is not passed over") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  made.write_version(made.add(), 3);
  CHECK(has(error_of(made.directory(), error_kind::other_version), "of version 3"));
}

TEST_CASE("the manifest of another generation is found") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  const auto first = made.add(), second = made.add();
  made.put(second, "manifest.json", made.bytes(first, "manifest.json"));
  generation_choice choice(made.directory());
  CHECK(choice.current().which.number == 1);
  CHECK(has(choice.explanation(), "it is that of generation 1"));
}

TEST_CASE("INV-35 what builds on one that failed is passed over too, unless it is named itself") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  const auto base = made.add();
  made.add([](auto& m) { m.builds_on = {2}; });
  const auto newest = made.add([](auto& m) { m.builds_on = {2, 3}; });
  store::mark_failed(base, "rank 1: spoilt");
  generation_choice choice(made.directory());
  CHECK(choice.current().which.number == 1);
  CHECK(has(choice.explanation(), newest.path + ": it has a part of its memory in " + base.path + ", and a restart "
                                                                                                  "from that failed: "
                                                                                                  ""));
  CHECK(generation_choice(newest.path).current().which.number == 4);
}

TEST_CASE("one that cannot be examined does not keep an older one from being taken") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  const auto newest = made.add();
  std::filesystem::permissions(newest.path, std::filesystem::perms::others_write, std::filesystem::perm_options::add);
  generation_choice choice(made.directory());
  CHECK(choice.current().which.number == 1);
  CHECK(has(choice.explanation(), "checkpoint 2 is skipped: " + newest.path));
  choice.mark_refused();
  CHECK_FALSE(std::filesystem::exists(newest.path + "/failed"));
}

}  // namespace store_generation_choice_tests
