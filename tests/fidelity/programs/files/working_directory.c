// The working directory, and relative names in it; renamed between.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  OK(mkdir(in("below"), 0755));
  OK(chdir(in("below")));
  const int fd = open("relative", O_RDWR | O_CREAT, 0644);
  CHECK(writes(fd, "one "));
  line();
  char now[PATH_MAX];
  CHECK(getcwd(now, sizeof now) != NULL && strcmp(now, in("below")) == 0, "%s", strrchr(now, '/'));
  CHECK(writes(fd, "two"));
  CHECK(holds("below/relative", "one two"));
  OK(access("relative", F_OK));
  OK(rename("../below", "../renamed"));
  line();
  CHECK(getcwd(now, sizeof now) != NULL && strcmp(now, in("renamed")) == 0, "%s", strrchr(now, '/'));
  OK(access("relative", F_OK));
  OK(chdir("/"));
  leave_place();
  return finish();
}
