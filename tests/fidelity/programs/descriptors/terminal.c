// A pair of terminals in one process, and the answers of isatty() for it and for others.
#include "place.h"

#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int controller, terminal;
  OK(openpty(&controller, &terminal, NULL, NULL, &(struct winsize){33, 99, 0, 0}));
  struct termios raw;
  OK(tcgetattr(terminal, &raw));
  cfmakeraw(&raw);
  OK(tcsetattr(terminal, TCSANOW, &raw));
  const int null = open("/dev/null", O_RDWR), out = isatty(1);
  CHECK(writes(controller, "typed"));
  for (int times = 0; times < 2; ++times) {
    line();
    OK(fcntl(terminal, F_SETFL, O_RDWR | O_NONBLOCK)), OK(fcntl(controller, F_SETFL, O_RDWR | O_NONBLOCK));
    struct winsize size = {0};
    CHECK(isatty(controller) && isatty(terminal) && !isatty(null) && isatty(1) == out);
    CHECK(ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_row == 33 && size.ws_col == 99, "%d", size.ws_row);
    CHECK(reads(terminal, "typed"), "%s", strerror(errno));
    CHECK(writes(terminal, "shown") && reads(controller, "shown"), "%s", strerror(errno));
    CHECK(writes(controller, "typed"), "%s", strerror(errno));
  }
  return finish();
}
