// Checkpoints that are written while the program runs on.
#include "parts.hpp"

#include "../temporary_directory.hpp"

#include <future>

namespace control_forked_tests {

using namespace mana;
using namespace mana::control_test;
using lower::outcome;

namespace {

job::options forked(int ranks, int fan_out = clock::default_fan_out) {
  job::options o;
  o.groups.emplace_back();
  for (int r = 0; r < ranks; ++r) o.groups[0].push_back(r);
  o.fan_out = fan_out;
  o.forked = true;
  return o;
}

std::string phase(const job& j) {
  const std::string status = control::job_status(j.directory(), 60), key = "\"phase\":\"";
  const std::size_t at = status.find(key) + key.size();
  return status.substr(at, status.find('"', at) - at);
}

void await_phase(const job& j, const std::string& wanted) {
  while (phase(j) != wanted) rest();
}

}  // namespace

TEST_CASE("the program runs on before its memory is stored, and who asked hears when it is") {
  temporary_directory place;
  job j(place.path(), forked(5, 2), barriers);
  j.stores_slowly = true;
  auto asked = std::async(std::launch::async, [&] { return control::request_checkpoint(j.directory(), false, 60); });
  await_phase(j, "storing");
  await([&] { return j.ended_as(outcome::resumed) >= 5; });
  const std::uint64_t before = j.at(0).started(0);
  while (j.at(0).started(0) < before + 100) rest();      // runs
  CHECK(j.commits == 0);
  j.stores_slowly = false;
  CHECK(has(asked.get(), "generation-1: 5 ranks"));
  CHECK(j.commits == 1);
  j.finish();
  for (int r = 0; r < 5; ++r) CHECK(j.at(r).told_stored == 1);
  CHECK(j.inconsistent == 0);
}

TEST_CASE("who waits for long hears how far the images of all ranks are, and which is the slowest") {
  temporary_directory place;
  job j(place.path(), forked(5, 2), barriers);
  j.stores_slowly = true;
  for (std::size_t r = 0; r < 5; ++r) j.done[r] = r == 3 ? 20 : 500;
  int heard = 0;
  const auto listen = [&](const std::string& json) {
    ++heard;
    CHECK(has(json, R"("phase":"storing")"));
    CHECK(has(json, heard == 1 ? R"("bytes":5010,"done":2020,"slowest_rank":3,"slowest_bytes":1003,"slowest_done":20)"
                               : R"("bytes":5010,"done":2990,"slowest_rank":4,"slowest_bytes":1004,"slowest_done":500)"));
    j.done[3] = 990;
    j.stores_slowly = heard == 1;
  };
  CHECK(has(control::request_checkpoint(j.directory(), false, 60, control::wait_for::directory, listen), "generation-1: 5 ranks"));
  CHECK(heard == 2);
  j.finish();
}

TEST_CASE("who waits for a line that does not come hears whom it waits for") {
  temporary_directory place;
  job j(place.path(), forked(3), barriers);
  j.at(1).never_parks = true;
  const auto listen = [&](const std::string& json) {
    CHECK(has(json, R"("phase":"parking")"));
    CHECK(has(json, "rank 1 has threads that did not reach a point"));
    CHECK(!has(json, "bytes"));
    j.at(1).let_park();
  };
  CHECK(has(control::request_checkpoint(j.directory(), false, 60, control::wait_for::directory, listen), "generation-1: 3 ranks"));
  j.finish();
}

TEST_CASE("a request while one is being stored waits, and is served after it") {
  temporary_directory place;
  job j(place.path(), forked(3), barriers);
  j.stores_slowly = true;
  const auto ask = [&] { return control::request_checkpoint(j.directory(), false, 60); };
  auto first = std::async(std::launch::async, ask);
  await_phase(j, "storing");
  auto second = std::async(std::launch::async, ask);
  CHECK(phase(j) == "storing");
  j.stores_slowly = false;
  CHECK(has(first.get(), "generation-1: "));
  CHECK(has(second.get(), "generation-2: "));
  j.finish();
  CHECK(j.commits >= 2);
}

TEST_CASE("one process that is killed: no rank has a checkpoint, and all are told; the next one is good") {
  temporary_directory place;
  job j(place.path(), forked(5, 2), barriers);
  j.at(3).cannot_store = true;
  CHECK(refusal(j) == "rank 3: killed\n");
  CHECK(j.abandoned == 1);
  await([&] { return j.ended_as(outcome::resumed) + j.ended_as(outcome::given_up) >= 5; });
  for (int r = 0; r < 5; ++r)
    await([&] { return j.at(r).told_lost == 1; });
  j.at(3).cannot_store = false;
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.commits == 1);
}

TEST_CASE("one rank that cannot fork: no rank has a checkpoint") {
  temporary_directory place;
  job j(place.path(), forked(3), barriers);
  j.at(2).cannot_write = true;
  CHECK(refusal(j) == "rank 2: the disk is full\n");
  j.at(2).cannot_write = false;
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.ended_as(outcome::given_up) == 3);
  CHECK(j.ended_as(outcome::resumed) == 3);
}

TEST_CASE("a program that ends meanwhile waits until its last checkpoint is stored") {
  temporary_directory place;
  job j(place.path(), forked(3), barriers);
  j.stores_slowly = true;
  auto asked = std::async(std::launch::async, [&] { return control::request_checkpoint(j.directory(), false, 60); });
  await_phase(j, "storing");
  j.asked_to_end = true;
  CHECK(phase(j) == "storing");
  j.stores_slowly = false;
  CHECK(has(asked.get(), "generation-1: "));
  j.finish();
  CHECK(j.commits == 1);
}

TEST_CASE("a checkpoint that stops the job is not forked; one that is being stored is followed by one that does") {
  temporary_directory place;
  job j(place.path(), forked(3), barriers);
  j.stores_slowly = true;
  auto first = std::async(std::launch::async, [&] { return control::request_checkpoint(j.directory(), false, 60); });
  await_phase(j, "storing");
  auto last = std::async(std::launch::async, [&] { return control::request_checkpoint(j.directory(), true, 60); });
  j.stores_slowly = false;
  CHECK(has(first.get(), "generation-1: "));
  CHECK(has(last.get(), "generation-2: "));
  j.finish();
  CHECK(j.commits == 2);
  CHECK(j.at(0).told_stored == 1);
}

}  // namespace control_forked_tests
