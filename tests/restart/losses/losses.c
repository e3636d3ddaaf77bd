// A program with something that no checkpoint can save ("child", "socket PORT"), and a signal that waits. It asks for a
// checkpoint and says what came of it, and whether it still has both.
#include <mana/api.h>
#include <mpi.h>

#include <arpa/inet.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int ended, durable;
static void after(enum mana_event event, const struct mana_hook_info* info, void* extra) {
  (void)event, (void)extra;
  durable = info->durable;
  ended = 1;
}

static pid_t sleeper(void) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  return child;
}

/// To the test, which is another process and sends back what it gets.
static int connected(const char* port) {
  const struct sockaddr_in there = {
      .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)atoi(port))};
  const int caller = socket(AF_INET, SOCK_STREAM, 0);
  return connect(caller, (const struct sockaddr*)&there, sizeof there) == 0 ? caller : -1;
}

int main(int argc, char** argv) {
  const struct timespec moment = {0, 10000000};
  sigset_t blocked, pending;
  sigemptyset(&blocked), sigaddset(&blocked, SIGUSR2);
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  MPI_Init(&argc, &argv);
  const int with_child = strcmp(argv[1], "child") == 0;
  const pid_t child = with_child ? sleeper() : 0;
  const int socket = with_child ? -1 : connected(argv[2]);
  kill(getpid(), SIGUSR2);
  mana_hook_add(MANA_RESUMED, after, NULL);
  mana_checkpoint(MANA_GO_ON);
  while (!ended) nanosleep(&moment, NULL);
  sigpending(&pending);
  char byte = 0;
  const int kept = with_child ? kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child
                              : write(socket, "x", 1) == 1 && read(socket, &byte, 1) == 1 && byte == 'x';
  printf("%s, %s, signal %s\n", durable ? "durable" : "given up", kept ? "kept" : "lost",
         sigismember(&pending, SIGUSR2) == 1 ? "pending" : "lost");
  MPI_Finalize();
  return 0;
}
