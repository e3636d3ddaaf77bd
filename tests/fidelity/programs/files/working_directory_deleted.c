// A working directory that was deleted: it has a name only in /proc, and one can leave it.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  OK(mkdir(in("gone"), 0755));
  OK(chdir(in("gone")));
  OK(rmdir(in("gone")));
  for (int times = 0; times < 2; ++times) {
    line();
    char now[PATH_MAX];
    CHECK(strcmp(last_part_of_link("cwd"), "gone (deleted)") == 0, "%s", last_part_of_link("cwd"));
    CHECK(getcwd(now, sizeof now) == NULL && errno == ENOENT, "%s", strerror(errno));
    CHECK(open("f", O_WRONLY | O_CREAT, 0644) == -1 && errno == ENOENT, "%s", strerror(errno));
  }
  OK(chdir(place));
  make_file("f", "text");
  OK(chdir("/"));
  leave_place();
  return finish();
}
