// Jobs whose control network has relays.
#include "job.hpp"

#include "../temporary_directory.hpp"

#include <client.hpp>
#include <endpoint.hpp>

#include <mana/clock/policies.hpp>

#include <doctest/doctest.h>
#include <poll.h>

#include <future>

using namespace mana;
using namespace mana::control_test;
using control::frame_type;
using control::frame_writer;
using lower::outcome;

namespace {

/// World, its odd ranks, its second half.
job::options tree(int ranks, int fan_out) {
  job::options o;
  o.groups.resize(3);
  for (int r = 0; r < ranks; ++r) {
    o.groups[0].push_back(r);
    if (r % 2 == 1) o.groups[1].push_back(r);
    if (r >= ranks / 2) o.groups[2].push_back(r);
  }
  o.fan_out = fan_out;
  return o;
}

/// Collectives of overlapping groups, messages around the ring.
void busy(rank& r, int ranks) {
  while (r.go_on()) {
    r.barrier();
    if (r.number() % 2 == 1) r.barrier(1);
    r.send((r.number() + 1) % ranks, 1);
    r.recv((r.number() + ranks - 1) % ranks);
    if (r.number() >= ranks / 2) r.barrier(2);
    r.compute();
  }
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The reason why there is no checkpoint.
std::string refusal(const job& j) {
  try {
    control::request_checkpoint(j.directory(), false, 60);
  } catch (const control::client_error& error) {
    CHECK(error.problem == control::client_problem::refused);
    return error.what();
  }
  FAIL("the checkpoint was taken");
  return {};
}

}  // namespace

TEST_CASE("checkpoints through a tree are consistent") {
  int ranks = 0, fan_out = 0;
  SUBCASE("the smallest with relays") { ranks = 5, fan_out = 2; }
  SUBCASE("deep") { ranks = 12, fan_out = 2; }
  SUBCASE("three each") { ranks = 17, fan_out = 3; }
  SUBCASE("the first that needs a relay") { ranks = 18, fan_out = 16; }
  SUBCASE("wide") { ranks = 40, fan_out = 16; }
  temporary_directory place;
  job j(place.path(), tree(ranks, fan_out), [ranks](rank& r) { busy(r, ranks); });
  for (int i = 0; i < 5; ++i)
    CHECK(has(control::request_checkpoint(j.directory(), false, 60), ": " + std::to_string(ranks) + " ranks"));
  j.at(ranks - 1).ask(false);
  while (j.commits < 6) std::this_thread::yield();
  j.finish();
  CHECK(j.ended_as(outcome::resumed) == 6 * ranks);
  CHECK(j.inconsistent == 0);
}

TEST_CASE("each policy speaks through a tree") {
  for (const std::string_view name : clock::policy_names()) {
    CAPTURE(name);
    temporary_directory place;
    job::options o = tree(9, 2);
    o.clock = name;
    job j(place.path(), o, [](rank& r) {
      while (r.go_on()) {
        r.barrier();
        if (r.number() % 2 == 1) r.barrier(1);
        r.compute();
      }
    });
    for (int i = 0; i < 5; ++i) control::request_checkpoint(j.directory(), false, 60);
    j.finish();
    CHECK(j.ended_as(outcome::resumed) == 45);
    CHECK(j.inconsistent == 0);
  }
}
