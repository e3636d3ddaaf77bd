// INV-66: a program that is told to end is let go, whatever a checkpoint is at.
#include "parts.hpp"

#include "../temporary_directory.hpp"

#include <csignal>
#include <future>

namespace control_told_to_end_tests {

using namespace mana;
using namespace mana::control_test;
using lower::outcome;

namespace {

/// In a tree of 0, {1, 2} and {3, 4}.
job::options five_ranks(bool forked = false) {
  job::options o{{{0, 1, 2, 3, 4}}};
  o.fan_out = 2;
  o.forked = forked;
  return o;
}

void await_phase(const job& j, const std::string& wanted) {
  while (!has(control::job_status(j.directory(), 60), "\"phase\":\"" + wanted + "\"")) rest();
}

auto refusal_later(const job& j) {
  return std::async(std::launch::async, [&j] { return refusal(j); });
}

}  // namespace

TEST_CASE("told while images are written: who writes stops, and the next checkpoint is as good as any") {
  temporary_directory place;
  job j(place.path(), five_ranks(), barriers);
  for (int r = 0; r < 5; ++r) j.at(r).writes_slowly = r != 2;
  auto why = refusal_later(j);
  await_phase(j, "writing");
  j.at(4).ask(false);                            // joins it, and is refused with it
  j.at(4).tell_of_end(SIGTERM);
  CHECK(has(why.get(), "rank 4 got SIGTERM, which the program handles"));
  CHECK(j.abandoned == 1);
  CHECK(j.commits == 0);
  await([&] { return j.ended_as(outcome::given_up) >= 5; });
  for (int r = 0; r < 5; ++r) j.at(r).writes_slowly = false;
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.ended_as(outcome::given_up) == 5);
  CHECK(j.ended_as(outcome::resumed) == 5);
  CHECK(j.commits == 1);
  CHECK(j.inconsistent == 0);
}

TEST_CASE("told while a rank does not park") {
  temporary_directory place;
  job j(place.path(), five_ranks(), barriers);
  j.at(1).never_parks = true;
  auto why = refusal_later(j);
  await_phase(j, "parking");
  j.at(1).tell_of_end(SIGINT);
  CHECK(has(why.get(), "rank 1 got SIGINT"));
  j.at(1).never_parks = false;
  j.at(1).let_park();
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.commits == 1);
}

TEST_CASE("told where nothing is under way: nothing is given up") {
  temporary_directory place;
  job j(place.path(), five_ranks(), barriers);
  j.at(1).tell_of_end(SIGHUP);
  while (!has(control::job_status(j.directory(), 60), "\"running\"")) rest();
  j.finish();
  CHECK(j.ended_as(outcome::given_up) == 0);
}

TEST_CASE("told while the program runs: its end does not wait for its images") {
  temporary_directory place;
  job j(place.path(), five_ranks(true), barriers);
  j.stores_slowly = true;
  auto why = refusal_later(j);
  await_phase(j, "storing");
  j.at(2).tell_of_end(SIGTERM);
  j.finish();
  CHECK(has(why.get(), "rank 2 got SIGTERM"));
  CHECK(j.commits == 0);
}

TEST_CASE("told while the program runs, and it runs on: there is a checkpoint") {
  temporary_directory place;
  job j(place.path(), five_ranks(true), barriers);
  j.stores_slowly = true;
  auto asked = std::async(std::launch::async, [&] { return control::request_checkpoint(j.directory(), false, 60); });
  await_phase(j, "storing");
  j.at(2).tell_of_end(SIGHUP);
  j.stores_slowly = false;
  CHECK(has(asked.get(), "5 ranks"));
  j.finish();
  CHECK(j.commits == 1);
}

}  // namespace control_told_to_end_tests
