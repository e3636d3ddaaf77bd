// Supplementary groups and capabilities that the program gave up, and that it may get no new privileges.
#include "fidelity.h"

#include <grp.h>
#include <sys/prctl.h>

static int fact(const char* format) {
  char text[256];
  unsigned long found = 99;
  FILE* const file = fopen("/proc/self/status", "r");
  while (file && fgets(text, sizeof text, file)) sscanf(text, format, &found);
  if (file) fclose(file);
  return (int)found;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  const gid_t groups[] = {12345, 23456};
  const int may = setgroups(2, groups) == 0;
  for (int round = 0; round < 2; ++round) {
    line();
    gid_t now[64];
    CHECK(fact("NoNewPrivs: %lu") == 1, "%d", fact("NoNewPrivs: %lu"));
    if (may) CHECK(getgroups(64, now) == 2 && now[0] == 12345 && now[1] == 23456);
    CHECK(getuid() == geteuid() && getgid() == getegid());
  }
  return finish();
}
