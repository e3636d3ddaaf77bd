// A directory that is being read: every entry comes once, and a remembered place in it is found again.
#include "place.h"

#include <dirent.h>

enum { many = 2000 };
static int seen[many];

static int next(DIR* all) {
  const struct dirent* const entry = readdir(all);
  if (entry == NULL) return 0;
  if (entry->d_name[0] == 'e') ++seen[atoi(entry->d_name + 1)];
  return 1;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  for (int i = 0; i < many; ++i) {
    char name[16];
    snprintf(name, sizeof name, "e%d", i);
    close(open(in(name), O_WRONLY | O_CREAT, 0644));
  }
  DIR* const all = opendir(place);
  for (int i = 0; i < 500; ++i) next(all);
  line();
  for (int i = 0; i < 600; ++i) CHECK(next(all));
  const long kept = telldir(all);
  const ino_t expected = readdir(all)->d_ino;
  seekdir(all, kept);
  line();
  const struct dirent* const entry = readdir(all);
  CHECK(entry != NULL && entry->d_ino == expected);
  seekdir(all, kept);
  while (next(all)) {}
  int wrong_ones = 0;
  for (int i = 0; i < many; ++i) wrong_ones += seen[i] != 1;
  CHECK(wrong_ones == 0, "%d", wrong_ones);
  rewinddir(all);
  CHECK(next(all));
  OK(openat(dirfd(all), "e0", O_RDONLY));
  closedir(all);
  leave_place();
  return finish();
}
