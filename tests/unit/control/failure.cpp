// Checkpoints that cannot be taken: the requester reads why, the program runs on, and the next one is as good as any.
#include "parts.hpp"

#include "../long_run.hpp"
#include "../temporary_directory.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <iterator>

namespace control_failure_tests {

using namespace mana;
using namespace mana::control_test;
using control::client_problem;
using lower::outcome;

namespace {

const job::options three_ranks{{{0, 1, 2}}};

/// For options.start: this rank has started a collective that nobody else will, before any request can reach it.
std::function<void(rank&)> start_of(int number) {
  return [number](rank& r) { if (r.number() == number) r.barrier_alone(); };
}

/// What this process writes to standard error meanwhile.
class error_lines {
 public:
  explicit error_lines(std::string path) : path_(std::move(path)), before_(dup(STDERR_FILENO)) {
    const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    dup2(file, STDERR_FILENO);
    close(file);
  }
  ~error_lines() { close(before_); }
  /// Once.
  std::string end() {
    dup2(before_, STDERR_FILENO);
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string path_;
  int before_;
};

}  // namespace

TEST_CASE("a coordinator whose process has ended is unreachable: the rank that joins can say so") {
  const control::handle bound = control::stream_socket();      // the port is nobody else's, and nobody listens
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof place;
  REQUIRE(bind(bound.get(), reinterpret_cast<sockaddr*>(&place), bytes) == 0);
  REQUIRE(getsockname(bound.get(), reinterpret_cast<sockaddr*>(&place), &bytes) == 0);
  CHECK_THROWS_AS(control::connect_to({"127.0.0.1"}, ntohs(place.sin_port)), control::unreachable);
}

TEST_CASE("one rank that cannot write: no rank has a checkpoint") {
  temporary_directory place;
  job j(place.path(), three_ranks, barriers);
  j.at(1).cannot_write = true;
  CHECK(refusal(j) == "rank 1: the disk is full\n");
  CHECK(j.commits == 0);
  CHECK(j.abandoned == 1);
  j.at(1).cannot_write = false;
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.ended_as(outcome::given_up) == 3);
  CHECK(j.ended_as(outcome::resumed) == 3);
}

TEST_CASE("the store refuses at its begin or at the commit") {
  temporary_directory place;
  job j(place.path(), three_ranks, barriers);
  const auto refuse = [] { throw std::runtime_error("the store is full"); };
  j.before_generation = refuse;
  CHECK(refusal(j) == "rank 0, for all: the store is full");
  CHECK(j.abandoned == 0);
  j.before_generation = nullptr;
  j.before_commit = refuse;
  CHECK(has(refusal(j), "the store is full"));
  CHECK(j.abandoned == 1);
  j.before_commit = nullptr;
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.ended_as(outcome::resumed) == 3);
}

TEST_CASE("a request that joined a checkpoint which is given up is served by one more") {
  temporary_directory place;
  job j(place.path(), three_ranks, barriers);
  int begun = 0;
  j.before_generation = [&] { j.at(1).cannot_write = ++begun == 1; };
  j.at(2).never_parks = true;
  j.at(0).ask(false);
  const auto says = [&](const char* text) { return has(control::job_status(j.directory(), 60), text); };
  while (!says("\"phase\":\"parking\"")) rest();
  j.at(1).ask(true);
  while (!says("\"stops\":true")) rest();
  j.at(2).let_park();
  await([&] { return j.commits > 0; });
  j.finish();
  CHECK(begun == 2);
  CHECK(j.abandoned == 1);
  CHECK(j.ended_as(outcome::given_up) == 3);
  CHECK(j.ended_as(outcome::resumed) == 3);
}

TEST_CASE("a thread that never parks: given up in time") {
  temporary_directory place;
  job::options o = three_ranks;
  o.limit_s = 0.2;
  job j(place.path(), o, barriers);
  j.at(2).never_parks = true;
  const std::string why = refusal(j);
  CHECK(has(why, "rank 2 has threads"));
  CHECK(!has(why, "rank 1 has threads"));
  j.at(2).never_parks = false;
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.ended_as(outcome::given_up) == 3);
  CHECK(j.ended_as(outcome::resumed) == 3);
}

TEST_CASE("INV-70 a rank whose drain fails: no rank has a checkpoint, and it is said which call failed") {
  temporary_directory place;
  job::options o{{{0, 1, 2, 3, 4}}};
  SUBCASE("a flat job") {}
  SUBCASE("behind relays") { o.fan_out = 2; }
  job j(place.path(), o, barriers);
  j.at(4).cannot_drain = true;
  CHECK(refusal(j) == "rank 4: MPI_Improbe on MPI_COMM_WORLD: MPI_ERR_OTHER");
  CHECK(j.commits == 0);
  CHECK(j.abandoned == 1);
  j.at(4).cannot_drain = false;
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.ended_as(outcome::given_up) == 5);
  CHECK(j.ended_as(outcome::resumed) == 5);
}

TEST_CASE("a drain that never ends is given up at the time limit; the message names each waiting rank and its peer") {
  temporary_directory place;
  job::options o{{{0, 1, 2, 3, 4}}};
  o.limit_s = 0.5;
  SUBCASE("a flat job") {}
  SUBCASE("behind relays") { o.fan_out = 2; }
  job j(place.path(), o, barriers);
  j.at(3).drains_for_ever = true;
  const std::string why = refusal(j);
  CHECK(has(why, "did not come to a point where it can be saved within 0.50 s"));
  CHECK(has(why, "rank 3 waits for 1 message of rank 0 on MPI_COMM_WORLD\n"));
  j.at(3).drains_for_ever = false;
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.ended_as(outcome::given_up) == 5);
  CHECK(j.ended_as(outcome::resumed) == 5);
}

TEST_CASE("a rank that owes a collective and does not come to it: given up in time, and said who") {
  temporary_directory place;
  std::atomic<bool> late = true;
  job::options o = three_ranks;
  o.limit_s = 0.2;
  job j(place.path(), o, [&](rank& r) {
    while (r.number() == 1 && late) r.compute();
    r.barrier();
    barriers(r);
  });
  while (j.at(0).started(0) == 0) rest();
  const std::string why = refusal(j);
  CHECK(has(why, "rank 1: a collective that others have started has yet to start"));
  late = false;
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.ended_as(outcome::resumed) == 3);
  CHECK(j.inconsistent == 0);
}

TEST_CASE("many requests, of which many are given up") {
  std::string name;
  SUBCASE("needs") { name = "needs"; }
  SUBCASE("needs_gated") { name = "needs_gated"; }
  SUBCASE("hybrid_two_phase") { name = "hybrid_two_phase"; }
  SUBCASE("two_phase_commit") { name = "two_phase_commit"; }
  temporary_directory place;
  job::options o = three_ranks;
  o.limit_s = 0.002;
  o.clock = name;
  job j(place.path(), o, barriers);
  int refused = 0;
  const int requests = tried(60, 200);
  for (int i = 0; i < requests; ++i) {
    j.at(i % 3).never_parks = i % 2 == 0;
    try {
      control::request_checkpoint(j.directory(), false, 60);
    } catch (const control::client_error& error) {
      CHECK(error.problem == client_problem::refused);
      ++refused;
    }
    j.at(i % 3).never_parks = false;
  }
  j.finish();
  CHECK(j.commits == requests - refused);
  CHECK(j.ended_as(outcome::resumed) == 3 * j.commits);
  CHECK(j.inconsistent == 0);
}

TEST_CASE("a request when all ranks are in MPI_Finalize") {
  temporary_directory place;
  std::promise<void> last_runs, asked;
  job j(place.path(), three_ranks, computing);
  // The first request is held while the ranks come to their end; the second waits behind it.
  bool first = true;
  j.before_commit = [&] {
    if (!std::exchange(first, false)) return;
    last_runs.set_value();
    asked.get_future().wait();
  };
  auto one = std::async(std::launch::async, [&] { return control::request_checkpoint(j.directory(), false, 60); });
  last_runs.get_future().wait();
  j.asked_to_end = true;
  auto two = std::async(std::launch::async, [&] { return control::request_checkpoint(j.directory(), false, 60); });
  asked.set_value();
  CHECK_NOTHROW(one.get());
  try {
    two.get();                    // served before the end, or refused for it; never left without an answer
  } catch (const control::client_error& error) {
    const bool ending = error.problem == client_problem::refused && has(error.what(), "the program is ending");
    const bool ended = error.problem == client_problem::not_answering || error.problem == client_problem::no_job;
    CHECK((ending || ended));
  }
  j.finish();
}

TEST_CASE("a request that waits for a collective which nobody will start, when all ranks are in MPI_Finalize") {
  temporary_directory place;
  job::options o = three_ranks;
  o.start = start_of(0);
  job j(place.path(), o, [](rank& r) {
    while (r.go_on()) r.compute();
  });
  auto answer = std::async(std::launch::async, [&] { return refusal(j); });
  while (!j.at(1).asked()) rest();
  j.asked_to_end = true;
  CHECK(has(answer.get(), "the program is ending"));
  j.finish();
  CHECK(j.commits == 0);
}

TEST_CASE("a checkpoint of the interval that is not reached before all ranks are in MPI_Finalize is nothing to warn of") {
  temporary_directory place;
  job::options o = three_ranks;
  o.interval_s = 0.01;
  o.start = start_of(0);
  error_lines lines(place.path() / "lines");
  {
    job j(place.path(), o, [](rank& r) {
      while (r.go_on()) r.compute();
    });
    while (!j.at(1).asked()) rest();
    j.asked_to_end = true;
    j.finish();
    CHECK(j.commits == 0);
  }
  CHECK(lines.end() == "");
}

TEST_CASE("a start that one rank is refused: the request is made anew of counts that agree, and nobody hears of it") {
  temporary_directory place;
  job::options o{{{0, 1, 2, 3, 4}}};
  o.fan_out = 2;
  o.start = start_of(4);
  job j(place.path(), o, [](rank& r) {
    const auto refused = [&r] {
      while (!r.asked()) rest();
      r.retract();
    };
    if (r.number() == 4) refused();
    while (r.go_on()) r.barrier();
  });
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.commits == 1);
  CHECK(j.inconsistent == 0);
  CHECK(j.ended_as(outcome::resumed) == 5);
}

TEST_CASE("starts that all ranks are refused after the line was found by them") {
  temporary_directory place;
  std::atomic<int> counted{0}, at_line{0};
  job j(place.path(), three_ranks, [&](rank& r) {
    r.barrier_alone();
    ++counted;
    tell_of_event();
    while (!r.at_line()) rest();
    ++at_line;
    tell_of_event();
    await([&] { return at_line >= 3; });
    r.retract();
    while (r.go_on()) r.compute();
  });
  await([&] { return counted >= 3; });      // else the line would wait for a start that asks nobody
  control::request_checkpoint(j.directory(), true, 60);      // that it stops the job is not lost
  j.finish();
  CHECK(j.commits == 1);
  CHECK(j.inconsistent == 0);
}

TEST_CASE("starts that are refused time and again: the request has its time limit") {
  temporary_directory place;
  job::options o = three_ranks;
  o.limit_s = 0.2;
  o.start = start_of(1);
  std::atomic<std::uint64_t> last{0};
  job j(place.path(), o, [&last](rank& r) {
    while (r.go_on()) {
      if (r.number() != 1 || !r.asked() || r.request() == last) continue;
      last = r.request();
      r.barrier_alone();
      r.retract();
    }
  });
  CHECK(has(refusal(j), "did not come to a point"));
  j.finish();
  CHECK(last > 2);
  CHECK(j.commits == 0);
}

TEST_CASE("a rank that has died: the requester reads which") {
  temporary_directory place;
  job::options o = three_ranks;
  o.absent = 1;
  job j(place.path(), o, [](rank& r) { while (r.number() == 0 && r.go_on()) r.compute(); });
  const auto answer = std::async(std::launch::async, [&] { return refusal(j); });
  const control::endpoint coordinator = started(j).where;
  await_frame(*call(coordinator.port, coordinator.key, 1));       // `pending`, and gone
  answer.wait();
  CHECK(has(refusal(j), "rank 1 has ended"));
  const auto again = call(coordinator.port, coordinator.key, 1);
  again->send_all(control::frame_writer(control::frame_type::ending).take());
  j.finish();
}

}  // namespace control_failure_tests
