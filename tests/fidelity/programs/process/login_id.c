// The user that began the process, for the system's audit (/proc/self/loginuid): the value that the program wrote
// there, if it may. A thread begun later has it too.
#include "fidelity.h"

#include <fcntl.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int may_write;

static void look(void) {
  char text[16] = "";
  const int fd = open("/proc/thread-self/loginuid", O_RDONLY);
  if (fd >= 0) CHECK(read(fd, text, sizeof text - 1) > 0, "%s", strerror(errno));
  close(fd);
  CHECK(!may_write || strcmp(text, "4711") == 0, "%s", text);
}

static void* body(void* extra) {
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    look();
  }
  return extra;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t thread;
  const int fd = open("/proc/self/loginuid", O_WRONLY);
  may_write = fd >= 0 && write(fd, "4711", 4) == 4;
  close(fd);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, body, NULL);
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    line();
    look();
    pthread_barrier_wait(&barrier);
  }
  pthread_join(thread, NULL);
  return finish();
}
