// Limits, umask and nice value that differ between the ranks.
// ranks: 2
#include "pair.h"

#include <sys/resource.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  struct rlimit files, core = {.rlim_cur = 4096 * (rlim_t)(me + 1), .rlim_max = 65536};
  OK(getrlimit(RLIMIT_NOFILE, &files));
  files.rlim_cur = me == 0 ? 200 : 300;
  OK(setrlimit(RLIMIT_NOFILE, &files)), OK(setrlimit(RLIMIT_CORE, &core));
  umask(me == 0 ? 027 : 002);
  OK(setpriority(PRIO_PROCESS, 0, 3 + me));
  for (int round = 0; round < 2; ++round) {
    line();
    struct rlimit found;
    CHECK(getrlimit(RLIMIT_NOFILE, &found) == 0 && found.rlim_cur == (me == 0 ? 200 : 300), "%lu", found.rlim_cur);
    CHECK(getrlimit(RLIMIT_CORE, &found) == 0 && found.rlim_cur == core.rlim_cur && found.rlim_max == 65536, "%lu",
          found.rlim_cur);
    const mode_t mask = umask(0);
    CHECK(mask == (me == 0 ? 027 : 002), "%o", mask);
    umask(mask);
    CHECK(getpriority(PRIO_PROCESS, 0) == 3 + me, "%d", getpriority(PRIO_PROCESS, 0));
  }
  return finish();
}
