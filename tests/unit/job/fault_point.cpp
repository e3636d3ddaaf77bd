// What MANA_FAULT may say, and what happens at a point of a process that is meant.
#include "../temporary_directory.hpp"

#include <doctest/doctest.h>

#include <runtime/job/fault_point.hpp>
#include <runtime/job/start_failure.hpp>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

namespace job_fault_point_tests {

using namespace mana;
using job::parse_faults;

namespace {

/// The wait status of a child that comes to `at` with these words in its environment.
template <class Before>
int status_of_child(const char* words, fault::point at, Before&& before) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("MANA_FAULT", words, 1);
    setenv("PMI_RANK", "2", 1);
    before();
    job::arm_fault_points();
    fault_point(at);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  if (WIFSTOPPED(status)) {
    kill(child, SIGKILL);
    int ignored = 0;
    waitpid(child, &ignored, 0);
  }
  return status;
}

int status_of_child(const char* words, fault::point at) {
  return status_of_child(words, at, [] {});
}

}  // namespace

TEST_CASE("the words of MANA_FAULT") {
  const auto found = parse_faults("written@0,drained@12=hold,half_removed,line_found@0=hold,lazy_check=wait");
  REQUIRE(found.size() == 5);
  CHECK(found[0].at == fault::point::written);
  CHECK(found[0].rank == 0);
  CHECK(found[0].act == job::fault_act::die);
  CHECK(found[1].rank == 12);
  CHECK(found[1].act == job::fault_act::stop);
  CHECK(found[2].rank == -1);
  CHECK(found[3].at == fault::point::line_found);
  CHECK(found[4].act == job::fault_act::wait);
}

TEST_CASE("words that nobody understands are refused by name") {
  for (const char* word : {"writen", "written@", "written@x", "written@-1", "written@1x", "written=held", "=hold",
                           "written,", "line_found@1", "written@1@2"})
    try {
      parse_faults(word);
      FAIL_CHECK(word);
    } catch (const job::start_failure& failure) {
      CHECK(failure.status() == mana::exit_status::usage);
      CHECK(failure.who() == job::met_by::all);
      CHECK(std::string(failure.what()).find("MANA_FAULT: \"") == 0);
      CHECK(failure.text().find("half_written") != std::string::npos);
    }
}

TEST_CASE("names of fault points are not those of others") {
  std::set<std::string> names;
  for (const fault::row& r : fault::table) CHECK(names.insert(r.name).second);
}

TEST_CASE("a process dies at its points and at no others") {
  const auto died = [](int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; };
  CHECK(died(status_of_child("written", fault::point::written)));
  CHECK(died(status_of_child("drained@2,written@2", fault::point::written)));
  CHECK(status_of_child("written@1", fault::point::written) == 0);
  CHECK(status_of_child("written", fault::point::drained) == 0);
  CHECK(status_of_child("", fault::point::drained) == 0);
}

TEST_CASE("a process that is held says so, and stops") {
  const temporary_directory scratch;
  const std::string pipe = scratch.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::fstream reader(pipe);       // read and write: opens at once
  const int status = status_of_child("written@2=hold", fault::point::written,
                                     [&] { setenv("MANA_FAULT_PIPE", pipe.c_str(), 1); });
  CHECK(WIFSTOPPED(status));
  std::string point;
  int rank = -1;
  reader >> point >> rank;
  CHECK(point == "written");
  CHECK(rank == 2);
}

TEST_CASE("a thread that waits says so, and goes on when the test lets it") {
  const temporary_directory scratch;
  const std::string pipe = scratch.path() / "pipe", go = pipe + ".go";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  REQUIRE(mkfifo(go.c_str(), 0600) == 0);
  std::fstream reader(pipe);       // read and write: opens at once
  std::thread test([&] {
    std::string point;
    reader >> point;
    CHECK(point == "written");
    std::ofstream{go};
  });
  CHECK(status_of_child("written@2=wait", fault::point::written, [&] { setenv("MANA_FAULT_PIPE", pipe.c_str(), 1); }) == 0);
  test.join();
}

}  // namespace job_fault_point_tests
