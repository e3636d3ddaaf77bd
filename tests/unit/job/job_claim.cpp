// Two jobs with one directory of checkpoints, before MPI runs.
#include "../temporary_directory.hpp"

#include <runtime/job/job_claim.hpp>
#include <runtime/store/directory_claim.hpp>

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace job_job_claim_tests {

using namespace mana;
using namespace mana::job;

namespace {

constexpr claim_patience short_patience{std::chrono::milliseconds(50), std::chrono::milliseconds(200),
                                        std::chrono::milliseconds(100)};

start_options options_in(const temporary_directory& scratch, bool restart = false) {
  start_options options;
  options.checkpoint_directory = (scratch.path() / "c").string();
  options.command = {"/bin/program"};
  options.restart = restart;
  options.generation = options.checkpoint_directory;
  files::own_directory::make(options.checkpoint_directory);
  return options;
}

/// In a process of its own, which keeps what it claims until it is killed; says in one letter what became of it.
class other_job {
 public:
  explicit other_job(const std::function<char()>& claims) {
    REQUIRE(pipe(said_) == 0);
    pid_ = fork();
    if (pid_ != 0) return;
    const char how = claims();
    [[maybe_unused]] const ssize_t n = write(said_[1], &how, 1);
    for (;;) pause();
  }
  ~other_job() {
    end();
    close(said_[0]);
    close(said_[1]);
  }
  char how() const {
    char letter = 0;
    CHECK(read(said_[0], &letter, 1) == 1);
    return letter;
  }
  void end() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  int said_[2];
  pid_t pid_;
};

/// 'h': it has the directory; 'r': it was refused by name
char claim(const start_options& options) {
  try {
    return claim_directory(options, short_patience) >= 0 ? 'h' : 'n';
  } catch (const start_failure& failure) {
    return failure.status() == mana::exit_status::directory_in_use && failure.who() == met_by::all ? 'r' : 'x';
  }
}

std::string refusal(const start_options& options) {
  try {
    claim_directory(options, short_patience);
  } catch (const start_failure& failure) {
    CHECK(failure.status() == mana::exit_status::directory_in_use);
    return failure.text();
  }
  FAIL("it was not refused");
  return {};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("of eight jobs that begin at once one has the directory, and seven are refused") {
  const temporary_directory scratch;
  for (const bool restart : {false, true}) {
    const start_options options = options_in(scratch, restart);
    std::vector<std::unique_ptr<other_job>> jobs;
    for (int i = 0; i < 8; ++i) jobs.push_back(std::make_unique<other_job>([&] { return claim(options); }));
    std::string ends;
    for (const auto& j : jobs) ends += j->how();
    CHECK(std::count(ends.begin(), ends.end(), 'h') == 1);
    CHECK(std::count(ends.begin(), ends.end(), 'r') == 7);
  }
}

TEST_CASE("a refusal says which job, where, since when, and what to do") {
  const temporary_directory scratch;
  start_options options = options_in(scratch);
  other_job first([&] { return claim(options); });
  REQUIRE(first.how() == 'h');
  const std::string text = refusal(options);
  CHECK(has(text, "/bin/program (process " + std::to_string(first.pid()) + " on "));
  CHECK(has(text, ", since 20"));
  CHECK(has(text, options.checkpoint_directory));
  CHECK(has(text, "--ckpt-dir"));
  options.restart = true;
  CHECK(has(refusal(options), "mana checkpoint --stop --ckpt-dir " + options.checkpoint_directory));
  first.end();
  CHECK(claim(options) == 'h');
  release_claim();
}

TEST_CASE("a job that is being killed is waited for") {
  const temporary_directory scratch;
  const start_options options = options_in(scratch);
  other_job first([&] { return claim(options); });
  REQUIRE(first.how() == 'h');
  other_job next([&] { return claim_directory(options) >= 0 ? 'h' : 'n'; });  // with its usual patience
  usleep(50'000);  // most often it has seen the first one by then; the end is the same if not
  first.end();
  CHECK(next.how() == 'h');
  const auto holder = store::read_claim(files::own_directory::open(options.checkpoint_directory));
  REQUIRE(holder.has_value());
  CHECK(holder->pid == next.pid());
}

TEST_CASE("what a job starts is a part of it") {
  const temporary_directory scratch;
  const start_options options = options_in(scratch);
  REQUIRE(claim(options) == 'h');
  other_job inner([&] { return claim(options); });
  CHECK(inner.how() != 'r');  // the claim is the outer one's
  release_claim();
}

TEST_CASE("a holder on another node that does not answer, and a lock that nobody gives back") {
  const temporary_directory scratch;
  const start_options options = options_in(scratch);
  const auto place = files::own_directory::open(options.checkpoint_directory);
  store::claim_holder far = store::this_holder("far", "");
  far.host += "-elsewhere";
  {
    const auto lock = store::directory_lock::of_job(place);
    store::write_claim(place, far);
    CHECK(has(refusal(options), "if that node is lost forever, remove " + options.checkpoint_directory + "/lock"));
  }
  CHECK(claim(options) == 'h');  // it was free: who was there last, and where, does not matter
  release_claim();
}

TEST_CASE("a directory that is not there is for others to refuse") {
  start_options options;
  options.checkpoint_directory = "/nowhere/at/all";
  options.command = {"/bin/program"};
  CHECK(claim_directory(options, short_patience) == -1);
}

TEST_CASE("rank 0 is on this node if all ranks before this one are") {
  unsetenv("OMPI_COMM_WORLD_LOCAL_RANK");
  unsetenv("SLURM_LOCALID");
  unsetenv("MPI_LOCALRANKID");
  CHECK_FALSE(is_first_on_node(1));
  setenv("MPI_LOCALRANKID", "1", 1);
  CHECK(is_first_on_node(1));
  CHECK_FALSE(is_first_on_node(2));
  setenv("MPI_LOCALRANKID", "1x", 1);
  CHECK_FALSE(is_first_on_node(1));
  unsetenv("MPI_LOCALRANKID");
}

}  // namespace job_job_claim_tests
