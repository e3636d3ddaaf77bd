// Checkpoints that are on the ranks' nodes before they are in the directory.
#include "parts.hpp"

#include "../temporary_directory.hpp"

#include <future>

namespace control_local_tests {

using namespace mana;
using namespace mana::control_test;
using control::wait_for;
using lower::outcome;

namespace {

job::options local(int ranks, int fan_out = clock::default_fan_out) {
  job::options o;
  o.groups.emplace_back();
  for (int r = 0; r < ranks; ++r) o.groups[0].push_back(r);
  o.fan_out = fan_out;
  o.local = true;
  return o;
}

std::string ask(const job& j, wait_for what) { return control::request_checkpoint(j.directory(), false, 60, what); }

bool status_has(const job& j, const std::string& what) { return has(control::job_status(j.directory(), 60), what); }

}  // namespace

TEST_CASE("INV-46 who waits for the nodes is answered before the copies are made, who waits for the directory after") {
  temporary_directory place;
  job j(place.path(), local(5, 2), barriers);
  j.stores_slowly = true;
  CHECK(has(ask(j, wait_for::nodes), "generation 1 is on the nodes of all 5 ranks"));
  CHECK(j.commits == 0);
  CHECK(status_has(j, "\"last_generation\":0"));
  CHECK(status_has(j, "\"last_generation_on_nodes\":1"));
  CHECK(status_has(j, "copied"));
  auto asked = std::async(std::launch::async, [&] { return ask(j, wait_for::directory); });
  const std::uint64_t before = j.at(0).started(0);
  while (j.at(0).started(0) < before + 100) rest();      // runs
  CHECK(j.commits == 0);
  j.stores_slowly = false;
  CHECK(has(asked.get(), "generation-2: 5 ranks"));
  CHECK(j.commits == 2);
  CHECK(status_has(j, "\"last_generation_on_nodes\":2"));
  j.finish();
  for (int r = 0; r < 5; ++r) CHECK(j.at(r).told_stored == 2);
  for (int r = 0; r < 5; ++r) CHECK(j.at(r).told_on_nodes == 2);
  for (int r = 0; r < 5; ++r) CHECK(j.at(r).told_bases == 6);      // of all together
  CHECK(j.inconsistent == 0);
}

TEST_CASE("one rank without a place on its node: the checkpoint is not on the nodes, and is in the directory") {
  temporary_directory place;
  job j(place.path(), local(3), barriers);
  j.at(1).no_place = true;
  j.stores_slowly = true;
  auto asked = std::async(std::launch::async, [&] { return ask(j, wait_for::nodes); });
  while (!status_has(j, "\"phase\":\"storing\"")) rest();
  CHECK(status_has(j, "\"last_generation_on_nodes\":0"));
  j.stores_slowly = false;
  CHECK(has(asked.get(), "generation-1: 3 ranks"));
  j.finish();
  CHECK(j.at(0).told_on_nodes == 0);
  CHECK(j.at(0).told_stored == 1);
}

TEST_CASE("a copy that fails: the answer says so, and that the generation is on the nodes; the next one is good") {
  temporary_directory place;
  job j(place.path(), local(5, 2), barriers);
  j.at(3).cannot_store = true;
  const std::string said = refusal(j);
  CHECK(has(said, "rank 3: killed\n"));
  CHECK(has(said, "generation 1 is on the nodes: mana restart --local takes it from there"));
  CHECK(j.abandoned == 1);
  for (int r = 0; r < 5; ++r)
    await([&] { return j.at(r).told_lost == 1; });
  for (int r = 0; r < 5; ++r) CHECK(j.at(r).told_on_nodes == 1);
  j.at(3).cannot_store = false;
  CHECK(has(ask(j, wait_for::directory), "generation-2: "));
  j.finish();
  CHECK(j.commits == 1);
}

TEST_CASE("a checkpoint that stops the job does not go by way of the nodes") {
  temporary_directory place;
  job j(place.path(), local(3), barriers);
  CHECK(has(control::request_checkpoint(j.directory(), true, 60, wait_for::nodes), "generation-1: "));
  j.finish();
  CHECK(j.commits == 1);
  CHECK(j.at(0).told_on_nodes == 0);
}

TEST_CASE("of the checkpoints that the interval takes, each third leaves the nodes") {
  temporary_directory place;
  job::options o = local(5, 2);
  o.interval_s = 0.002;
  o.copy_every = 3;
  job j(place.path(), o, barriers);
  await([&] { return j.at(4).told_on_nodes >= 8; });
  j.finish();
  REQUIRE(j.committed.size() >= 2);
  for (std::size_t i = 0; i < j.committed.size(); ++i) CHECK(j.committed[i] == 3 * (i + 1));
  CHECK(j.at(4).told_lost >= 5);             // to the directory of checkpoints
  CHECK(j.ended_as(outcome::given_up) <= 5); // of the last one, which the program's end may meet
  CHECK(j.inconsistent == 0);
}

TEST_CASE("the warnings of a checkpoint that stays on the nodes are its result's, for there is no manifest") {
  temporary_directory place;
  job::options o = local(3);
  o.interval_s = 0.002;
  o.copy_every = 1000;
  job j(place.path(), o, barriers);
  j.at(1).has_no_parity = true;
  while (!status_has(j, "is on the nodes of all 3 ranks\\nwarning: rank 1: without parity")) rest();
  j.finish();
}

TEST_CASE("what is asked for leaves the nodes, and counts as one of so many") {
  temporary_directory place;
  job::options o = local(3);
  o.copy_every = 1000;
  job j(place.path(), o, barriers);
  CHECK(has(ask(j, wait_for::nodes), "and is being copied to"));
  CHECK(has(ask(j, wait_for::directory), "generation-2: 3 ranks"));
  j.at(1).ask(false);                        // a signal, or the program
  await([&] { return j.at(0).told_stored >= 3; });
  j.finish();
  CHECK(j.committed == std::vector<std::uint64_t>{1, 2, 3});
}

TEST_CASE("a node that cannot take an image that is to stay there: one more, which leaves the nodes") {
  temporary_directory place;
  job::options o = local(3);
  o.interval_s = 0.002;
  o.copy_every = 1000;
  job j(place.path(), o, barriers);
  j.at(1).no_place = true;
  await([&] { return j.commits >= 2; });
  j.finish();
  CHECK(j.committed[1] > j.committed[0] + 1);       // each after one that was given up
  CHECK(j.at(0).told_on_nodes == 0);
}

}  // namespace control_local_tests
