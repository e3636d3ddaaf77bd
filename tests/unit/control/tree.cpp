// Jobs whose control network has relays.
#include "parts.hpp"

#include "../long_run.hpp"
#include "../temporary_directory.hpp"

#include <mana/clock/policies.hpp>

#include <future>

namespace control_tree_tests {

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

/// Ranks 0 to 4: 1 and 3 have relays, for 2 and 4.
job::options five() { return tree(5, 2); }

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
  await([&] { return j.commits >= 6; });
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

TEST_CASE("a job with relays is stopped by a checkpoint") {
  temporary_directory place;
  job j(place.path(), tree(9, 2), barriers);
  SUBCASE("by a client") { control::request_checkpoint(j.directory(), true, 60); }
  SUBCASE("by a rank behind two relays") {
    j.at(3).ask(true);
    await([&] { return j.commits > 0; });
  }
  j.finish();
  CHECK(j.commits == 1);
  CHECK(j.ended_as(outcome::resumed) == 9);
}

TEST_CASE("ranks of a tree wait in MPI_Finalize for one that computes") {
  temporary_directory place;
  job j(place.path(), tree(9, 2), [&j](rank& r) {
    while (r.number() == 8 && !j.asked_to_end) r.compute();
  });
  for (int i = 0; i < 3; ++i) control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.ended_as(outcome::resumed) == 27);
}

TEST_CASE("one rank in a subtree that cannot write: no rank has a checkpoint") {
  temporary_directory place;
  job j(place.path(), tree(9, 2), barriers);
  for (const int bad : {3, 8}) {
    j.at(bad).cannot_write = true;
    CHECK(refusal(j) == "rank " + std::to_string(bad) + ": the disk is full\n");
    j.at(bad).cannot_write = false;
  }
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.commits == 1);
  CHECK(j.abandoned == 2);
  CHECK(j.ended_as(outcome::given_up) == 18);
  CHECK(j.ended_as(outcome::resumed) == 9);
}

TEST_CASE("a thread in a subtree that never parks: given up in time, and said where") {
  temporary_directory place;
  job::options o = five();
  o.limit_s = 0.2;
  job j(place.path(), o, barriers);
  j.at(4).never_parks = true;
  const std::string why = refusal(j);
  CHECK(has(why, "ranks 3 to 4: not all threads have reached a point where they can be saved"));
  CHECK(!has(why, "ranks 1 to 2"));
  CHECK(!has(why, "rank 0"));
  j.at(4).never_parks = false;
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.ended_as(outcome::resumed) == 5);
}

TEST_CASE("many requests in a tree, of which many are given up") {
  std::string name;
  SUBCASE("needs") { name = "needs"; }
  SUBCASE("needs_gated") { name = "needs_gated"; }
  temporary_directory place;
  job::options o = tree(8, 2);
  o.limit_s = 0.004;
  o.clock = name;
  job j(place.path(), o, barriers);
  int refused = 0;
  const int requests = tried(40, 100);
  for (int i = 0; i < requests; ++i) {
    j.at(i % 8).never_parks = i % 2 == 0;
    try {
      control::request_checkpoint(j.directory(), false, 60);
    } catch (const control::client_error& error) {
      CHECK(error.problem == control::client_problem::refused);
      ++refused;
    }
    j.at(i % 8).never_parks = false;
  }
  j.finish();
  CHECK(refused > 0);
  CHECK(j.commits == requests - refused);
  CHECK(j.ended_as(outcome::resumed) == 8 * j.commits);
  CHECK(j.inconsistent == 0);
}

TEST_CASE("a rank that dies behind a relay: the requester reads which") {
  std::string name;
  SUBCASE("needs") { name = "needs"; }
  SUBCASE("needs_gated") { name = "needs_gated"; }
  temporary_directory place;
  job::options o = five();
  o.clock = name;
  o.absent = 2;
  job j(place.path(), o, computing);
  const auto answer = std::async(std::launch::async, [&] { return refusal(j); });
  const control::job_key key = started(j).where.key;
  std::uint32_t length = 0;
  j.take(1, 2, &length, sizeof length);
  control::bytes text(length);
  j.take(1, 2, text.data(), static_cast<int>(length));
  const control::endpoint relay = control::decode_endpoint(text);
  CHECK(relay.key == key);
  await_frame(*call(relay.port, key, 2));      // `requested`, and gone
  answer.wait();
  CHECK(has(refusal(j), "rank 2 has ended"));
  const auto again = call(relay.port, key, 2);
  again->send_all(frame_writer(frame_type::ending).take());
  j.finish();
}

TEST_CASE("a relay that dies: the requester reads which ranks are cut off, and they run to their end") {
  temporary_directory place;
  job::options o = five();
  o.absent = 1;
  job j(place.path(), o, computing);
  const auto answer = std::async(std::launch::async, [&] { return refusal(j); });
  const control::endpoint coordinator = started(j).where;
  {
    const control::listener own = control::listen_on_any_port();
    const control::bytes text = control::encode(control::make_endpoint(own.port, coordinator.key));
    const auto length = static_cast<std::uint32_t>(text.size());
    j.pass(1, 2, &length, sizeof length);
    j.pass(1, 2, text.data(), static_cast<int>(length));
    const auto up = call(coordinator.port, coordinator.key, 1);
    pollfd wait{own.socket.get(), POLLIN, 0};
    poll(&wait, 1, -1);
    const control::connection down(control::accept_from(own));
    up->send_all(frame_writer(frame_type::here).take());
    await_frame(*up);      // `requested`
  }
  answer.wait();
  const std::string cut_off = "ranks 1 to 2 are cut off: rank 1 has ended, or its node cannot be reached";
  CHECK(has(refusal(j), cut_off));
  const auto again = call(coordinator.port, coordinator.key, 1);
  again->send_all(frame_writer(frame_type::ending).take());
  j.finish();
}

}  // namespace control_tree_tests
