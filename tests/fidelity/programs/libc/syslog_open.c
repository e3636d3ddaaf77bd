// The log of the system: the name, the mask and the option under which the program opened it. Its messages go to stderr
// too.
#include "place.h"

#include <syslog.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  openlog("fidelity", LOG_PERROR | LOG_NDELAY, LOG_USER);
  setlogmask(LOG_UPTO(LOG_WARNING));
  const int error = dup(2), file = open(in("said"), O_RDWR | O_CREAT | O_APPEND, 0600);
  dup2(file, 2);
  for (int round = 0; round < 3; ++round) {
    syslog(LOG_WARNING, "round %d", round), syslog(LOG_INFO, "not said");
    if (round < 2) dup2(error, 2), line(), dup2(file, 2);
    CHECK(setlogmask(0) == LOG_UPTO(LOG_WARNING));
  }
  dup2(error, 2), close(error), close(file);
  CHECK(holds("said", "fidelity: round 0\nfidelity: round 1\nfidelity: round 2\n"));
  closelog();
  leave_place();
  return finish();
}
