// Leases: one for reading, one for writing, and one that a reader breaks. After the lines F_GETLEASE reports them. An
// open of the file breaks one: the program gets the signal and gives the lease up, and the opener continues.
#include "place.h"

#include <signal.h>
#include <sys/wait.h>

static volatile sig_atomic_t told;
static void on_io(int signal) {
  (void)signal;
  ++told;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("read", "text");
  make_file("written", "text");
  struct sigaction act = {.sa_handler = on_io, .sa_flags = SA_RESTART};
  OK(sigaction(SIGIO, &act, NULL));
  const int reader = open(in("read"), O_RDONLY), writer = open(in("written"), O_RDWR);
  OK(fcntl(reader, F_SETLEASE, F_RDLCK));
  OK(fcntl(writer, F_SETLEASE, F_WRLCK));
  make_file("broken", "text");
  const int broken = open(in("broken"), O_WRONLY);
  OK(fcntl(broken, F_SETLEASE, F_WRLCK));
  CHECK(open(in("broken"), O_RDONLY | O_NONBLOCK) == -1 && errno == EWOULDBLOCK, "%s", strerror(errno));
  CHECK(told == 1, "%d", told);
  told = 0;
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(fcntl(reader, F_GETLEASE) == F_RDLCK, "%d", fcntl(reader, F_GETLEASE));
    CHECK(fcntl(writer, F_GETLEASE) == F_WRLCK, "%d", fcntl(writer, F_GETLEASE));
    CHECK(fcntl(broken, F_GETLEASE) == F_RDLCK, "%d", fcntl(broken, F_GETLEASE));
    CHECK(told == 0, "%d", told);
  }
  OK(fcntl(broken, F_SETLEASE, F_UNLCK));
  OK(open(in("broken"), O_RDONLY | O_NONBLOCK));
  const pid_t child = fork();
  if (child == 0) {
    const int fd = open(in("written"), O_RDONLY);
    _exit(fd >= 0 ? 0 : 1);
  }
  int status = -1;
  while (told == 0 && waitpid(child, &status, WNOHANG) == 0) usleep(1000);      // it waits in open, natively until it is let
  CHECK(told == 1, "%d", told);
  OK(fcntl(writer, F_SETLEASE, F_UNLCK));
  CHECK(waitpid(child, &status, 0) == child && status == 0, "%d", status);
  leave_place();
  return finish();
}
