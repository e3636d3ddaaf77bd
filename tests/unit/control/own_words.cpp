// What a thread with a table of descriptors of its own says is heard, also where the short way is barred.

#include <runtime/control/own_words.hpp>
#include <runtime/files/own_table.hpp>

#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

namespace control_own_words_tests {

using namespace mana;

namespace {

void say_apart() {
  files::begin_own_table();
  control::say("heard\n");
}

constexpr unsigned limit_s = 60;      // of a child

/// What a child in which this runs writes to standard error.
template <class Act>
std::string heard_of(Act act) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    alarm(limit_s);
    act();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[100];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

void bar_pidfd_getfd() {
  sock_filter code[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
                        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_pidfd_getfd},
                        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
                        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_fprog program{4, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/// in: thread  of this process, the initial one. It stays a zombie while others live. pthread_join of glibc 2.43 would not
/// return: the thread ends by a system call, past libc's own code.
void await_end_of(pid_t thread) {
  const std::string file = "/proc/self/task/" + std::to_string(thread) + "/stat";
  for (std::string state; state != "Z"; std::this_thread::yield()) {
    std::ifstream stat(file);
    stat.ignore(std::numeric_limits<std::streamsize>::max(), ')') >> state;
  }
}

}  // namespace

TEST_CASE("a thread with a table of its own is heard") {
  CHECK(heard_of([] { std::thread(say_apart).join(); }) == "heard\n");
}

TEST_CASE("also where a container bars pidfd_getfd") {
  CHECK(heard_of([] {
          bar_pidfd_getfd();
          std::thread(say_apart).join();
        }) == "heard\n");
}

TEST_CASE("and after the initial thread has ended") {
  CHECK(heard_of([] {
          // The process's table is a third thread's then; its end ends the process.
          std::thread([] {
            await_end_of(getpid());
            std::thread(say_apart).join();
            _exit(0);
          }).detach();
          syscall(SYS_exit, 0);      // of the thread alone, and past what unwinding would call
        }) == "heard\n");
}

}  // namespace control_own_words_tests
