// Watches of a directory, with an event that nobody has read.
#include "place.h"

#include <sys/inotify.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  const int fd = inotify_init1(IN_NONBLOCK), watch = inotify_add_watch(fd, place, IN_CREATE | IN_DELETE);
  OK(watch);
  for (int times = 0; times < 2; ++times) {
    make_file("f", "");
    line();
    char room[512] __attribute__((aligned(8)));
    const struct inotify_event* const event = (const struct inotify_event*)room;
    CHECK(read(fd, room, sizeof room) > 0 && event->wd == watch && event->mask == IN_CREATE, "%s", strerror(errno));
    OK(unlink(in("f")));
    CHECK(read(fd, room, sizeof room) > 0 && event->mask == IN_DELETE, "%s", strerror(errno));
  }
  leave_place();
  return finish();
}
