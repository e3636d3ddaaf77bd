// Working directories that differ between the ranks; one of them is below the other.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  if (me == 0) OK(mkdir(in("below"), 0755));
  together();
  OK(chdir(me == 0 ? place : in("below")));
  char before[PATH_MAX], now[PATH_MAX];
  CHECK(getcwd(before, sizeof before) != NULL);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(getcwd(now, sizeof now) != NULL && !strcmp(before, now), "%s", now);
    char name[32];
    snprintf(name, sizeof name, "round-%d", round);
    const int fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    CHECK(fd >= 0 && writes(fd, me == 0 ? "above" : "below"));
    close(fd);
    together();
    snprintf(name, sizeof name, me == 0 ? "below/round-%d" : "../round-%d", round);
    char found[6] = "";
    const int others = open(name, O_RDONLY);
    CHECK(read(others, found, 5) == 5 && !strcmp(found, me == 0 ? "below" : "above"), "%s", found);
    close(others);
    together();
  }
  OK(chdir(me == 0 ? ".." : "../.."));
  leave_common_place();
  return finish();
}
