// Who has a directory of checkpoints, and what is known of that process.
#include "../../temporary_directory.hpp"

#include <runtime/store/directory_claim.hpp>

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace store_directory_claim_tests {

using namespace mana;
using store::holder_state;
using store::lock_end;

namespace {

/// A process that waits until its line is cut, or it is killed.
struct child {
  child() {
    REQUIRE(pipe(ends) == 0);
    pid = fork();
    if (pid != 0) {
      close(ends[0]);
      return;
    }
    close(ends[1]);
    char none = 0;
    _exit(read(ends[0], &none, 1) == 0 ? 0 : 1);
  }
  ~child() {
    close(ends[1]);
    waitpid(pid, nullptr, 0);
  }
  int ends[2];
  pid_t pid;
};

}  // namespace

TEST_CASE("INV-61 one job at a time has the directory, and what is locked else in it does not matter") {
  const temporary_directory scratch;
  const auto all = files::own_directory::make((scratch.path() / "c").string());
  auto first = store::directory_lock::of_job(all);
  CHECK(first.end() == lock_end::held);
  CHECK(first.number() >= 0);
  CHECK(store::directory_lock::of_job(all).end() == lock_end::busy);
  CHECK(store::directory_lock::of_all(all, store::lock_kind::exclusive, std::chrono::milliseconds(0)).end() ==
        lock_end::held);
  CHECK(store::directory_lock::of_generation(all, 1).end() == lock_end::held);
  first.release();
  CHECK(store::directory_lock::of_job(all).end() == lock_end::held);
}

TEST_CASE("who has it is written down, and replaced by the next") {
  const temporary_directory scratch;
  const auto all = files::own_directory::make((scratch.path() / "c").string());
  CHECK_FALSE(store::read_claim(all).has_value());
  const auto mine = store::this_holder("/bin/program \"\x80", "pmix 7");
  store::write_claim(all, store::this_holder("an earlier one", ""));
  store::write_claim(all, mine);
  const auto read = store::read_claim(all);
  REQUIRE(read.has_value());
  CHECK(read->pid == getpid());
  CHECK(read->begun == mine.begun);
  CHECK(read->launch == "pmix 7");
  CHECK(store::state_of(*read) == holder_state::lives);
  std::filesystem::copy(scratch.path() / "c", scratch.path() / "copy");
  CHECK_FALSE(store::read_claim(files::own_directory::open((scratch.path() / "copy").string())).has_value());
  std::filesystem::remove(scratch.path() / "c" / "claim.json");
  scratch.write("c/claim.json", "{\"host\": 3}");
  CHECK_FALSE(store::read_claim(all).has_value());
}

TEST_CASE("a process that ended, another of its number, one of another boot or node") {
  store::claim_holder holder = store::this_holder("", "");
  CHECK(store::state_of(holder) == holder_state::lives);
  ++holder.begun;
  CHECK(store::state_of(holder) == holder_state::gone);
  --holder.begun;
  holder.boot += "0";
  CHECK(store::state_of(holder) == holder_state::not_seen);
  holder = store::this_holder("", "");
  holder.host += "0";
  CHECK(store::state_of(holder) == holder_state::not_seen);
  holder = store::this_holder("", "");
  {
    const child other;
    holder.pid = other.pid;
    holder.begun += 1'000'000;
    CHECK(store::state_of(holder) == holder_state::gone);
  }
}

TEST_CASE("a process that was killed and is not reaped yet has ended") {
  const pid_t pid = fork();
  if (pid == 0) {
    for (;;) pause();
  }
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string word;
  for (int field = 1; field <= 22; ++field) stat >> word;
  store::claim_holder holder = store::this_holder("", "");
  holder.pid = pid;
  holder.begun = std::stoull(word);
  CHECK(store::state_of(holder) == holder_state::lives);
  kill(pid, SIGSTOP);
  int status = 0;
  waitpid(pid, &status, WUNTRACED);
  CHECK(store::state_of(holder) == holder_state::lives);  // stopped: it may go on
  kill(pid, SIGKILL);
  siginfo_t info{};
  REQUIRE(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
  CHECK(store::state_of(holder) == holder_state::gone);
  waitpid(pid, nullptr, 0);
  CHECK(store::state_of(holder) == holder_state::gone);
}

TEST_CASE("a process is an ancestor of those that it has started, and of no other") {
  const store::claim_holder holder = store::this_holder("", "");
  CHECK(store::is_ancestor(holder));
  const pid_t pid = fork();
  if (pid == 0) _exit(store::is_ancestor(holder) ? 0 : 1);
  int status = 1;
  waitpid(pid, &status, 0);
  CHECK(status == 0);
  store::claim_holder other = holder;
  {
    const child some;
    other.pid = some.pid;
    CHECK_FALSE(store::is_ancestor(other));
  }
}

TEST_CASE("the claim goes with the process, however it ends") {
  const temporary_directory scratch;
  const auto all = files::own_directory::make((scratch.path() / "c").string());
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const auto own = files::own_directory::open((scratch.path() / "c").string());
    const auto lock = store::directory_lock::of_job(own);
    [[maybe_unused]] const ssize_t n = write(ends[1], lock.end() == lock_end::held ? "h" : "n", 1);
    for (;;) pause();
  }
  char said = 0;
  REQUIRE(read(ends[0], &said, 1) == 1);
  CHECK(said == 'h');
  CHECK(store::directory_lock::of_job(all).end() == lock_end::busy);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  CHECK(store::directory_lock::of_job(all).end() == lock_end::held);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace store_directory_claim_tests
