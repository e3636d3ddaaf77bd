// Checkpoints before MPI_Init and after MPI_Finalize, where no MPI runs; and what is said where there can be none.
#include "parts.hpp"

#include "../temporary_directory.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

namespace control_stages_tests {

using namespace mana;
using namespace mana::control_test;
using control::client_problem;
using control::frame_type;
using control::frame_writer;
using lower::outcome;

namespace {

/// Ranks compute until the test says that they may go on, each as if it were alone.
struct gate {
  std::atomic<bool> open[4] = {};
  void open_all() {
    for (auto& one : open) one = true;
  }
  auto program() {
    return [this](rank& r) {
      for (; !open[r.number()]; rest()) r.compute();
    };
  }
};

job::options ranks_before(gate& g) {
  job::options o{{{0, 1, 2}}};
  o.before = g.program();
  return o;
}

job::options ranks_after(gate& g) {
  job::options o{{{0, 1, 2}}};
  o.after = g.program();
  return o;
}

void nothing(rank&) {}

control::job_file with_port(const job& j, bool early) {
  for (;; rest()) {
    const control::job_file file = control::read_job_file(j.directory());
    if ((early ? file.early_port : file.where.port) != 0) return file;
  }
}

/// As a rank that the test plays: the others have been through the start of MPI, and it is in MPI_Finalize.
void end_for(const job& j, int rank) {
  const control::job_file file = with_port(j, false);
  auto line = call(file.where.port, file.where.key, rank);
  line->send_all(frame_writer(frame_type::ending).take());
  pollfd wait{line->fd(), POLLIN, 0};
  while (line->receive()) poll(&wait, 1, -1);       // until the coordinator has ended
}

/// What is written to standard error meanwhile.
/// in: file  where it is kept
template <class Act>
std::string captured_errors(const std::filesystem::path& file, Act act) {
  const int before = dup(2), now = open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  dup2(now, 2);
  act();
  dup2(before, 2);
  close(before);
  close(now);
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("before MPI_Init ranks find each other by the job's file, and are saved") {
  temporary_directory place;
  gate g;
  job j(place.path(), ranks_before(g), computing);
  CHECK(control::request_checkpoint(j.directory(), false, 60).find("generation-1: 3 ranks") == 0);
  CHECK(control::job_status(j.directory(), 60).find("before MPI_Init") != std::string::npos);
  control::request_checkpoint(j.directory(), false, 60);
  await([&] { return j.ended_as(outcome::resumed) >= 6; });      // whoever asked may hear of it first
  g.open_all();
  with_port(j, false);
  control::request_checkpoint(j.directory(), false, 60);
  CHECK(control::job_status(j.directory(), 60).find("\"checkpoints\":3") != std::string::npos);      // one job, one history
  j.finish();
  CHECK(j.ended_as(outcome::resumed) == 9);
  CHECK(!std::filesystem::exists(place.path() / "job.json"));
}

TEST_CASE("INV-62 a rank that waits in MPI_Init for the others is saved with them") {
  temporary_directory place;
  gate g;
  job j(place.path(), ranks_before(g), computing);
  control::request_checkpoint(j.directory(), false, 60);        // all are here
  g.open[0] = g.open[2] = true;
  control::request_checkpoint(j.directory(), false, 60);
  g.open_all();
  control::request_checkpoint(j.directory(), false, 60);        // wherever they are by now
  j.finish();
  CHECK(j.ended_as(outcome::resumed) == 9);
}

TEST_CASE("INV-62 where a rank is gone, nobody waits in MPI_Init, and a request is refused at once") {
  temporary_directory place;
  gate g;
  job::options o = ranks_before(g);
  o.absent = 2;
  job j(place.path(), o, nothing);
  const control::job_file file = with_port(j, true);
  {
    auto line = call(file.early_port, file.where.key, 2);
    await_frame(*line);                    // all are here
    line->send_all(frame_writer(frame_type::word).put(2).put(std::string("has become another program (/bin/sleep)")).take());
  }
  CHECK(has(refusal(j), "rank 2 has become another program (/bin/sleep)"));
  g.open_all();
  end_for(j, 2);
  j.finish();
}

TEST_CASE("a rank that has not been heard of is waited for, and named") {
  temporary_directory place;
  gate g;
  job::options o = ranks_before(g);
  o.absent = 1;
  o.limit_s = 2.5;                         // the first look is after two seconds
  job j(place.path(), o, nothing);
  with_port(j, true);
  std::string waited;
  const auto listen = [&](const std::string& json) { waited = json; };
  try {
    control::request_checkpoint(j.directory(), false, 60, control::wait_for::directory, listen);
    FAIL("the checkpoint was taken");
  } catch (const control::client_error& error) {
    CHECK(error.problem == client_problem::refused);
    CHECK(has(error.what(), "rank 1 has not been heard of"));
  }
  CHECK(has(waited, "rank 1 has not been heard of"));
  g.open_all();
  end_for(j, 1);
  j.finish();
}

TEST_CASE("what a signal asks for before all ranks are there is served as soon as they are") {
  temporary_directory place;
  gate g;
  std::atomic<bool> late{false};
  job::options o{{{0, 1}}};
  o.before = g.program();
  o.start = [&](rank& r) {
    while (r.number() == 1 && !late) rest();
  };
  job j(place.path(), o, computing);
  with_port(j, true);
  j.at(0).ask(false);
  while (!has(control::job_status(j.directory(), 60), "has not been heard of")) rest();
  g.open_all();                            // rank 0 goes on into the start of MPI
  late = true;
  await([&] { return j.commits > 0; });
  j.finish();
  CHECK(j.commits == 1);
}

TEST_CASE("after MPI_Finalize ranks are saved as long as all are there") {
  temporary_directory place;
  gate g;
  job j(place.path(), ranks_after(g), nothing);
  while (!has(control::job_status(j.directory(), 60), "after MPI_Finalize")) rest();
  control::request_checkpoint(j.directory(), false, 60);
  await([&] { return j.ended_as(outcome::resumed) >= 3; });
  g.open[1] = true;
  std::string why;
  while (why.empty()) try {
      control::request_checkpoint(j.directory(), false, 60);
    } catch (const control::client_error& error) {
      CHECK(error.problem == client_problem::refused);
      why = error.what();
    }
  CHECK(has(why, "rank 1 has ended: the program is ending"));
  g.open_all();
  j.finish();
  CHECK(!std::filesystem::exists(place.path() / "job.json"));
}

TEST_CASE("after MPI_Finalize there is nothing to warn of when a rank ends while nobody waits for the checkpoint") {
  temporary_directory place;
  gate g;
  job::options o{{{0, 1, 2}}};
  o.after = [&, others = g.program()](rank& r) {
    if (r.number() != 1) return others(r);
    while (!r.asked()) rest();       // and ends without having been saved
    g.open_all();
  };
  const std::string said = captured_errors(place.path() / "said", [&] {
    job j(place.path(), o, nothing);
    while (!has(control::job_status(j.directory(), 60), "after MPI_Finalize")) rest();
    j.at(0).ask(false);
    j.finish();
  });
  CHECK(said == "");
}

TEST_CASE("a restart of a job that was killed is reached") {
  temporary_directory place;
  control::job_file left = control::starting_job(2, "a test");
  left.where = control::make_endpoint(1);
  const int pid = fork();
  if (pid == 0) _exit(0);
  waitpid(pid, nullptr, 0);
  left.pid = pid;
  control::write_job_file(place.path(), left);
  std::promise<void> waits;
  auto asks = std::async(std::launch::async, [&] {
    control::patience patience{60, 30, [&, told = false](const std::string& what) mutable {
      CHECK(has(what, "waiting 30 s for a restart"));
      if (!std::exchange(told, true)) waits.set_value();
    }};
    return control::request_checkpoint(place.path(), false, patience);
  });
  waits.get_future().wait();
  job j(place.path(), job::options{{{0, 1}}}, computing);
  CHECK(asks.get().find("generation-1: 2 ranks") == 0);
  j.finish();
}

}  // namespace control_stages_tests
