// Programs that ran and ended before and after the lines: fork, vfork, posix_spawn, system, popen, each with its answer.
#include "fidelity.h"

#include <spawn.h>
#include <sys/wait.h>

extern char** environ;
static int ended(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char* const arguments[] = {"sh", "-c", "exit 6", NULL};
  for (int round = 0; round < 3; ++round) {
    pid_t child = fork();
    if (child == 0) _exit(4);
    CHECK(ended(child) == 4, "fork");
    child = fork();
    if (child == 0) execv("/bin/sh", arguments), _exit(99);
    CHECK(ended(child) == 6, "fork, exec");
    child = vfork();
    if (child == 0) execve("/bin/sh", arguments, environ), _exit(99);
    CHECK(ended(child) == 6, "vfork, exec");
    const int failed = posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ);
    CHECK(failed == 0 && ended(child) == 6, "posix_spawn: %s", strerror(failed));
    CHECK(posix_spawn(&child, "/no/such", NULL, NULL, arguments, environ) == ENOENT);
    const int status = system("exit 8");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 8, "system: %x", (unsigned)status);
    char text[32] = "";
    FILE* const from = popen("echo from a shell", "r");
    CHECK(from && fgets(text, sizeof text, from) && strcmp(text, "from a shell\n") == 0, "popen: %s", text);
    CHECK(from && pclose(from) == 0);
    CHECK(wait(NULL) == -1 && errno == ECHILD);
    if (round < 2) line();
  }
  return finish();
}
