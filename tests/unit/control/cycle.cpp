// Checkpoints that go well.
#include "job.hpp"

#include "../temporary_directory.hpp"

#include <runtime/control/client.hpp>

#include <mana/clock/policies.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <future>

namespace control_cycle_tests {

using namespace mana;
using namespace mana::control_test;
using lower::outcome;

namespace {

/// Collectives of overlapping groups, messages around the ring, wildcards.
void busy(rank& r) {
  const int next = (r.number() + 1) % 4, before = (r.number() + 3) % 4;
  while (r.go_on()) {
    r.barrier();
    if (r.number() < 2) r.barrier(1);
    r.send(next, 1);
    r.recv(before);
    if (r.number() > 0) r.barrier(2);
    r.compute();
  }
}

/// Of a phase, as the status has it; -1: it has not ended.
double seconds_of(const std::string& status, const std::string& phase) {
  const std::size_t begin = status.find("\"seconds_by_phase\":{"), at = status.find("\"" + phase + "\":", begin);
  return at > status.find('}', begin) ? -1 : std::stod(status.substr(at + phase.size() + 3));
}

const job::options four_ranks{{{0, 1, 2, 3}, {0, 1}, {1, 2, 3}}};

}  // namespace

TEST_CASE("a request is answered when all images are committed") {
  temporary_directory place;
  job j(place.path(), four_ranks, busy);
  const std::string answer = control::request_checkpoint(j.directory(), false, 60);
  CHECK(answer.find("generation-1: 4 ranks") == 0);
  CHECK(j.commits == 1);
  CHECK(control::job_status(j.directory(), 60).find("\"checkpoints\":1") != std::string::npos);
  j.finish();
  CHECK(j.ended_as(outcome::resumed) == 4);
  CHECK(j.inconsistent == 0);
  for (int r = 0; r < 4; ++r) CHECK(j.at(r).signals == 1);
  CHECK(!std::filesystem::exists(place.path() / "job.json"));
}

TEST_CASE("the status tells how long each phase of the newest checkpoint took") {
  temporary_directory place;
  job j(place.path(), four_ranks, busy);
  const auto status = [&] { return control::job_status(j.directory(), 60); };
  CHECK(status().find("\"seconds_by_phase\":{}") != std::string::npos);
  j.at(2).never_parks = true;
  j.at(0).ask(false);
  while (status().find("\"phase\":\"parking\"") == std::string::npos) rest();
  const auto seen_parking = std::chrono::steady_clock::now();
  const std::string halfway = status();
  CHECK(seconds_of(halfway, "quiescing") > 0);
  CHECK(seconds_of(halfway, "parking") < 0);
  const std::chrono::duration<double> held = std::chrono::steady_clock::now() - seen_parking;
  j.at(2).let_park();
  while (status().find("\"phase\":\"running\"") == std::string::npos) rest();
  const std::string after = status();
  CHECK(seconds_of(after, "quiescing") == seconds_of(halfway, "quiescing"));
  CHECK(seconds_of(after, "parking") >= held.count());
  CHECK(seconds_of(after, "writing") > 0);
}

TEST_CASE("many checkpoints of a busy job are consistent") {
  temporary_directory place;
  job j(place.path(), four_ranks, busy);
  for (int i = 0; i < 100; ++i) control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.commits == 100);
  CHECK(j.ended_as(outcome::resumed) == 400);
  CHECK(j.inconsistent == 0);
}

TEST_CASE("many checkpoints of a busy job are consistent under each policy") {
  for (const std::string_view name : clock::policy_names()) {
    INFO(name);
    temporary_directory place;
    job::options o = four_ranks;
    o.clock = name;
    job j(place.path(), o, busy);
    for (int i = 0; i < 50; ++i) control::request_checkpoint(j.directory(), false, 60);
    j.finish();
    CHECK(j.commits == 50);
    CHECK(j.ended_as(outcome::resumed) == 200);
    CHECK(j.inconsistent == 0);
  }
}

TEST_CASE("INV-25 a communicator's clock begins anew at each checkpoint, on all members, also at one that is given up") {
  temporary_directory place;
  job::options o = four_ranks;
  o.communicators = {1, 2};
  job j(place.path(), o, busy);
  for (int k = 0; k < 30; ++k) {
    j.at(k % 4).cannot_write = k % 3 == 0;       // given up when all have parked
    if (k % 3 == 0) CHECK_THROWS_AS(control::request_checkpoint(j.directory(), false, 60), control::client_error);
    else control::request_checkpoint(j.directory(), false, 60);
    j.at(k % 4).cannot_write = false;
  }
  j.finish();
  CHECK(j.commits == 20);
  CHECK(j.inconsistent == 0);
}

TEST_CASE("requests at the same time are all answered, those during a checkpoint by one more") {
  temporary_directory place;
  std::promise<void> first_runs, others_asked;
  job j(place.path(), four_ranks, busy);
  bool first = true;
  j.before_commit = [&] {
    if (!first) return;
    first = false;
    first_runs.set_value();
    others_asked.get_future().wait();
  };
  const auto ask = [&] { return control::request_checkpoint(j.directory(), false, 60); };
  auto one = std::async(std::launch::async, ask);
  first_runs.get_future().wait();
  std::vector<std::future<std::string>> others;
  for (int i = 0; i < 5; ++i) others.push_back(std::async(std::launch::async, ask));
  others_asked.set_value();
  CHECK(one.get().find("generation-1:") == 0);
  for (auto& other : others) CHECK(other.get().find("generation-1:") == std::string::npos);
  CHECK(j.commits >= 2);
}

TEST_CASE("a rank that owes a collective waits for a message of one that would be held") {
  std::string name;
  SUBCASE("needs") { name = "needs"; }
  SUBCASE("needs_gated") { name = "needs_gated"; }
  SUBCASE("hybrid_two_phase") { name = "hybrid_two_phase"; }
  temporary_directory place;
  job::options o{{{0, 1, 2, 3}, {0, 3}, {1, 2}}};
  o.clock = name;
  // Rank 2 is in B before the request; 0 and 3 enter A after it.
  job j(place.path(), o, [&](rank& r) {
    while ((r.number() == 0 || r.number() == 3) && !r.asked()) rest();
    if (r.number() == 0) { r.barrier(1); r.send(1, 7); }
    if (r.number() == 1) { r.recv(0); r.barrier(2); }
    if (r.number() == 2) r.barrier(2);
    if (r.number() == 3) r.barrier(1);
    r.barrier();
    while (r.go_on()) r.compute();
  });
  while (j.at(2).started(2) == 0) rest();
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.commits == 1);
  CHECK(j.inconsistent == 0);
}

TEST_CASE("some ranks may wait in MPI_Finalize") {
  temporary_directory place;
  job j(place.path(), {{{0, 1, 2}}}, [](rank& r) {
    while (r.number() == 0 && r.go_on()) r.compute();
  });
  for (int i = 0; i < 3; ++i) control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.ended_as(outcome::resumed) == 9);
}

TEST_CASE("a job is stopped by a checkpoint") {
  temporary_directory place;
  job j(place.path(), four_ranks, busy);
  control::request_checkpoint(j.directory(), true, 60);
  j.finish();
  CHECK(j.ended_as(outcome::resumed) == 4);
  CHECK(!std::filesystem::exists(place.path() / "job.json"));
}

TEST_CASE("checkpoints at intervals need no request") {
  temporary_directory place;
  job::options o = four_ranks;
  o.interval_s = 0.02;
  job j(place.path(), o, busy);
  await([&] { return j.commits >= 3; });
  j.finish();
  CHECK(j.inconsistent == 0);
}

TEST_CASE("a rank asks without a client") {
  temporary_directory place;
  job j(place.path(), four_ranks, busy);
  for (int i = 1; i <= 20; ++i) {
    j.at(i % 4).ask(false);
    await([&] { return j.commits >= i; });
  }
  j.finish();
  CHECK(j.inconsistent == 0);
}

TEST_CASE("all ranks ask whenever they like") {
  temporary_directory place;
  std::atomic<int> asked{0};
  job j(place.path(), four_ranks, [&asked](rank& r) {
    while (r.go_on()) {
      r.barrier();
      if (++asked % 7 == 0) r.ask(false);
      r.compute();
    }
  });
  await([&] { return j.commits >= 50; });
  j.finish();
  CHECK(j.commits <= asked / 7);
  CHECK(j.inconsistent == 0);
}

TEST_CASE("a rank asks for the end of the job") {
  temporary_directory place;
  job j(place.path(), four_ranks, busy);
  for (int r = 0; r < 4; ++r) j.at(r).ask(true);
  await([&] { return j.commits > 0; });
  j.finish();
  CHECK(j.commits == 1);
  CHECK(j.ended_as(outcome::resumed) == 4);
}

TEST_CASE("a request of a rank during a checkpoint that will end the job is part of it") {
  temporary_directory place;
  job j(place.path(), four_ranks, busy);
  j.at(3).never_parks = true;
  j.at(0).ask(false);
  while (control::job_status(j.directory(), 60).find("\"phase\":\"parking\"") == std::string::npos)
    rest();
  j.at(1).ask(true);
  const auto heard = [&] { return control::job_status(j.directory(), 60).find("\"stops\":true") != std::string::npos; };
  while (!heard()) rest();
  j.at(3).let_park();
  j.finish();
  CHECK(j.commits == 1);
  CHECK(j.ended_as(outcome::resumed) == 4);
}

TEST_CASE("a job ends itself after a time") {
  temporary_directory place;
  job::options o = four_ranks;
  o.stop_after_s = 0.05;
  job j(place.path(), o, busy);
  await([&] { return j.commits > 0; });
  j.finish();
  CHECK(j.commits == 1);
  CHECK(j.ended_as(outcome::resumed) == 4);
}

}  // namespace control_cycle_tests
