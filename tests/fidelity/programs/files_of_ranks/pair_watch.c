// A watch of a directory on rank 1, which reports what rank 0 makes there after each line.
// ranks: 2
#include "pair.h"

#include <sys/inotify.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  int fd = -1, watch = -1;
  if (me == 1) OK(fd = inotify_init1(IN_NONBLOCK)), OK(watch = inotify_add_watch(fd, place, IN_CREATE));
  together();
  for (int round = 0; round < 2; ++round) {
    line();
    char name[16], found[512] __attribute__((aligned(8)));
    snprintf(name, sizeof name, "file%d", round);
    if (me == 0) make_file(name, "");
    together();
    if (me == 1) {
      const struct inotify_event* const event = (void*)found;
      CHECK(read(fd, found, sizeof found) > 0 && event->wd == watch && !strcmp(event->name, name), "%s",
            strerror(errno));
      CHECK(read(fd, found, sizeof found) == -1 && errno == EAGAIN);
    }
    together();
  }
  leave_common_place();
  return finish();
}
