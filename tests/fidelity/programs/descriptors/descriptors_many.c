// Ten thousand descriptors, as far as the limit goes, each with its own file and its own offset.
#include "place.h"

#include <sys/resource.h>

enum { most = 10000 };
static int all[most];

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  struct rlimit limit;
  OK(getrlimit(RLIMIT_NOFILE, &limit));
  limit.rlim_cur = limit.rlim_max;
  OK(setrlimit(RLIMIT_NOFILE, &limit));
  const int many = limit.rlim_cur > most + 1000 ? most : (int)limit.rlim_cur - 1000;
  make_file("f", "");
  OK(truncate(in("f"), most));
  const int first = open(in("f"), O_RDONLY);
  for (int i = 0; i < many; ++i) {
    all[i] = i % 10 == 0 ? dup(first) : open(in("f"), O_RDONLY);
    if (all[i] < 0) CHECK(!"it can be opened", "%d: %s", i, strerror(errno));
    if (i % 10 != 0) lseek(all[i], i, SEEK_SET);
  }
  lseek(first, 5, SEEK_SET);
  for (int times = 0; times < 2; ++times) {
    line();
    int wrong_ones = 0;
    for (int i = 0; i < many; ++i) wrong_ones += lseek(all[i], 0, SEEK_CUR) != (i % 10 == 0 ? 5 : i);
    CHECK(wrong_ones == 0, "%d", wrong_ones);
  }
  leave_place();
  return finish();
}
