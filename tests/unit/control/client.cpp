// Who asks, and who must not.
#include "parts.hpp"

#include "../temporary_directory.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>

namespace control_client_tests {

using namespace mana;
using namespace mana::control_test;
using control::client_problem;
using control::frame_type;
using control::frame_writer;

namespace {

std::atomic<int> watchers;          // inotify descriptors that were made in this process

}  // namespace

extern "C" int inotify_init1(int flags) noexcept {
  ++watchers;
  return static_cast<int>(syscall(SYS_inotify_init1, flags));
}

namespace {

const job::options two_ranks{{{0, 1}}};

client_problem problem_of(const std::string& job, double timeout_s = 60) {
  try {
    control::request_checkpoint(job, false, timeout_s);
  } catch (const control::client_error& error) {
    return error.problem;
  }
  FAIL("the checkpoint was taken");
  return {};
}

/// Waits until the coordinator closes the connection; what it said before must be nothing.
bool is_cut_off(control::connection& line) {
  pollfd wait{line.fd(), POLLIN, 0};
  poll(&wait, 1, -1);
  return !line.receive() && !line.next();
}

/// A process that has ended.
int gone_process() {
  const int pid = fork();
  if (pid == 0) _exit(0);
  waitpid(pid, nullptr, 0);
  return pid;
}

}  // namespace

TEST_CASE("no job, a damaged file, another user's") {
  temporary_directory place;
  CHECK(problem_of(place.path()) == client_problem::no_job);
  CHECK(problem_of(place.path() / "nothing") == client_problem::no_job);
  place.write("job.json", "{\"port\": 1}");
  CHECK(problem_of(place.path()) == client_problem::no_job);
  CHECK(problem_of(place.path() / "job.json") == client_problem::no_job);
  if (geteuid() != 0) return;              // only root can give a file away
  CHECK(chown((place.path() / "job.json").c_str(), 1, 1) == 0);
  CHECK(problem_of(place.path()) == client_problem::not_owner);
}

TEST_CASE("a job that was killed does not answer, nor one that ended before it could answer") {
  temporary_directory place;
  control::job_file left = control::starting_job(2, "a test");
  left.pid = gone_process();
  control::write_job_file(place.path(), left);
  CHECK(problem_of(place.path()) == client_problem::not_answering);
  left.where = control::make_endpoint(1);
  control::write_job_file(place.path(), left);
  CHECK(problem_of(place.path()) == client_problem::not_answering);
  left.pid = getpid();                     // a new process has its number; nobody listens
  control::write_job_file(place.path(), left);
  CHECK(problem_of(place.path()) == client_problem::not_answering);
}

TEST_CASE("a job that ended before it could answer, for which nobody has waited yet") {
  temporary_directory place;
  control::job_file left = control::starting_job(2, "a test");
  left.pid = fork();
  if (left.pid == 0) _exit(0);
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(left.pid), &ended, WEXITED | WNOWAIT);       // it is a zombie
  control::write_job_file(place.path(), left);
  CHECK(problem_of(place.path(), 0) == client_problem::not_answering);         // without a limit of time
  waitpid(left.pid, nullptr, 0);
}

TEST_CASE("another program on the port of a job that ended") {
  temporary_directory place;
  const control::listener other = control::listen_on_any_port();
  control::job_file left = control::starting_job(2, "a test");
  left.where = control::make_endpoint(other.port);
  control::write_job_file(place.path(), left);
  CHECK(problem_of(place.path(), 0.05) == client_problem::timeout);
  std::thread speaks([&] {
    for (int accepted = 0; accepted < 2;) {
      const control::handle first = control::accept_from(other);
      if (!first) continue;
      if (accepted++ == 0) continue;       // the one that gave up
      [[maybe_unused]] const ssize_t n = write(first.get(), "HTTP/1.1 400 Bad Request\r\n", 26);
    }
  });
  CHECK(problem_of(place.path()) == client_problem::not_answering);
  speaks.join();
}

// Right after a job was killed its restart may have begun, but not have its file there.

TEST_CASE("a job that is being killed when it is asked, and then restarted") {
  temporary_directory place;
  const control::listener dying = control::listen_on_any_port();
  control::job_file left = control::starting_job(2, "a test");
  left.where = control::make_endpoint(dying.port);
  control::write_job_file(place.path(), left);
  std::jthread dies([&] {
    control::handle caller;
    while (!(caller = control::accept_from(dying))) {}
    control::connection line(std::move(caller));
    await_frame(line), await_frame(line);        // hello and the question
  });
  std::optional<job> restarted;
  const auto restart = [&](const std::string&) { if (!restarted) restarted.emplace(place.path(), two_ranks, computing); };
  control::request_checkpoint(place.path(), false, control::patience{60, 60, restart});
  CHECK(restarted->commits == 1);
}

TEST_CASE("a job that was killed before it was up, and then restarted") {
  temporary_directory place;
  control::job_file left = control::starting_job(2, "a test");
  left.pid = gone_process();
  control::write_job_file(place.path(), left);
  std::optional<job> restarted;
  const auto restart = [&](const std::string&) { if (!restarted) restarted.emplace(place.path(), two_ranks, computing); };
  control::request_checkpoint(place.path(), false, control::patience{60, 60, restart});
  CHECK(restarted->commits == 1);
}

TEST_CASE("a job file is for its owner alone, and another job's stays") {
  temporary_directory place;
  struct stat about{};
  job j(place.path(), two_ranks, computing);
  const control::job_file mine = started(j);
  CHECK(stat((place.path() / "job.json").c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
  CHECK(mine.ranks == 2);
  CHECK(mine.pid == getpid());
  control::job_file other = mine;
  other.where = control::make_endpoint(1);
  control::write_job_file(place.path(), other);
  j.finish();
  CHECK(std::filesystem::exists(place.path() / "job.json"));
}

TEST_CASE("whoever does not know the key is cut off, and changes nothing") {
  temporary_directory place;
  job j(place.path(), two_ranks, computing);
  const control::job_file file = started(j);
  auto wrong = file.where.key;
  wrong[31] ^= 1;
  const auto call = [&] { return control::connection(control::connect_to({"127.0.0.1"}, file.where.port)); };
  control::connection client = call(), agent = call(), long_one = call(), short_one = call(), second = call();
  client.send_all(frame_writer(frame_type::hello_client).put(wrong).take());
  CHECK(is_cut_off(client));
  agent.send_all(frame_writer(frame_type::hello_rank).put(wrong).put(1).take());
  CHECK(is_cut_off(agent));
  long_one.send_all({0xff, 0xff, 0xff, 0x03});
  CHECK(is_cut_off(long_one));
  short_one.send_all(frame_writer(frame_type::hello_client).take());
  CHECK(is_cut_off(short_one));
  // With the key, but in the place of a rank that is there.
  control::request_checkpoint(j.directory(), false, 60);
  second.send_all(frame_writer(frame_type::hello_rank).put(file.where.key).put(1).take());
  CHECK(is_cut_off(second));
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.commits == 2);
}

// The kernel may take seconds to close what tells of changes.

TEST_CASE("who asks a job that is up watches no file") {
  temporary_directory place;
  job j(place.path(), two_ranks, computing);
  started(j);
  const int before = watchers;
  control::job_status(j.directory(), 60);
  control::request_checkpoint(j.directory(), false, 60);
  CHECK(watchers == before);
}

TEST_CASE("a requester that goes away: the checkpoint is taken all the same") {
  temporary_directory place;
  job j(place.path(), two_ranks, computing);
  const control::job_file file = started(j);
  {
    control::connection client(control::connect_to({"127.0.0.1"}, file.where.port));
    client.send_all(frame_writer(frame_type::hello_client).put(file.where.key).put(control::protocol_version).put(std::string("0")).take());
    client.send_all(frame_writer(frame_type::ask_checkpoint).put(std::uint8_t{0}).put(std::uint8_t{0}).take());
  }
  await([&] { return j.commits > 0; });
  control::request_checkpoint(j.directory(), false, 60);
  CHECK(j.commits == 2);
}

TEST_CASE("a requester that does not wait any longer") {
  temporary_directory place;
  job j(place.path(), two_ranks, computing);
  j.at(1).never_parks = true;
  started(j);
  CHECK(problem_of(j.directory(), 0.05) == client_problem::timeout);
  std::string status;
  do status = control::job_status(j.directory(), 60);
  while (status.find("\"phase\":\"parking\"") == std::string::npos || status.find("rank 0 has") != std::string::npos);
  CHECK(status.find("rank 1 has threads") != std::string::npos);
  j.at(1).let_park();
  control::request_checkpoint(j.directory(), false, 60);
}

}  // namespace control_client_tests
