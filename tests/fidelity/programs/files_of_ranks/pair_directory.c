// A directory in which each rank makes names of its own, renames and deletes the other one's, from a working directory
// there.
// ranks: 2
#include "pair.h"

#include <dirent.h>

static int how_many(void) {
  int sum = 0;
  DIR* const directory = opendir(".");
  for (struct dirent* entry; (entry = readdir(directory)) != NULL;) sum += entry->d_name[0] != '.';
  closedir(directory);
  return sum;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  if (me == 0) OK(mkdir(in("d"), 0755));
  together();
  OK(chdir(in("d")));
  for (int round = 0; round < 3; ++round) {
    char own[32], others[32], renamed[48];
    snprintf(own, sizeof own, "of-%d-%d", me, round), snprintf(others, sizeof others, "of-%d-%d", other(), round);
    snprintf(renamed, sizeof renamed, "%s-renamed", others);
    OK(close(open(own, O_WRONLY | O_CREAT | O_EXCL, 0600)));
    together();
    if (round < 2) line();
    CHECK(how_many() == 2, "%d", how_many());
    together();
    OK(rename(others, renamed));
    together();
    CHECK(access(own, F_OK) == -1 && errno == ENOENT);
    OK(unlink(renamed));
    together();
    CHECK(how_many() == 0, "%d", how_many());
    together();
  }
  OK(chdir("../.."));
  leave_common_place();
  return finish();
}
