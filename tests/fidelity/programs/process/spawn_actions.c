// posix_spawn with file actions and attributes, system() from several threads at once, and waitid that leaves the
// child.
#include "place.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

static void* calls_system(void* index) {
  char command[32];
  snprintf(command, sizeof command, "exit %d", (int)(long)index + 20);
  const int status = system(command);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == (int)(long)index + 20, "%x", (unsigned)status);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("in", "what is read\n");
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaults;
  posix_spawn_file_actions_init(&actions), posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, 0, in("in"), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, in("out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 7);
  sigemptyset(&defaults), sigaddset(&defaults, SIGINT), posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  char* const words[] = {"sh", "-c", "cat; echo $VARIABLE >&7; exit 9", NULL};
  char* const variables[] = {"VARIABLE=given", "PATH=/bin:/usr/bin", NULL};
  for (int round = 0; round < 3; ++round) {
    pid_t child = -1;
    CHECK(posix_spawn(&child, "/bin/sh", &actions, &attributes, words, variables) == 0);
    siginfo_t info;
    CHECK(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0 && info.si_code == CLD_EXITED &&
          info.si_status == 9);
    CHECK(info.si_pid == child);
    CHECK(waitid(P_ALL, 0, &info, WEXITED) == 0 && info.si_pid == child);
    CHECK(waitid(P_ALL, 0, &info, WEXITED) == -1 && errno == ECHILD);
    CHECK(holds("out", "what is read\ngiven\n"));
    pthread_t threads[3];
    for (long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, calls_system, (void*)i);
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
    if (round < 2) line();
  }
  leave_place();
  return finish();
}
