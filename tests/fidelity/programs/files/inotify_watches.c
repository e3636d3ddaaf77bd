// Watches of a directory and of a file, whose numbers do not follow each other; no event waits.
#include "place.h"

#include <sys/inotify.h>

static char room[512] __attribute__((aligned(8)));

/// The one event that there is.
static const struct inotify_event* event(int fd) {
  const ssize_t n = read(fd, room, sizeof room);
  CHECK(n >= (ssize_t)sizeof(struct inotify_event), "%s", strerror(errno));
  return (const struct inotify_event*)room;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("old", ""), make_file("gone", "");
  const int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  const int whole = inotify_add_watch(fd, place, IN_CREATE), gone = inotify_add_watch(fd, in("gone"), IN_MODIFY);
  const int file = inotify_add_watch(fd, in("old"), IN_MODIFY | IN_ATTRIB);
  OK(inotify_rm_watch(fd, gone));
  CHECK(event(fd)->mask == IN_IGNORED);
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(read(fd, room, sizeof room) == -1 && errno == EAGAIN);
    make_file(times == 0 ? "one" : "two", "");
    CHECK(event(fd)->wd == whole);
    OK(truncate(in("old"), times + 1));
    const struct inotify_event* const e = event(fd);
    CHECK(e->wd == file && (e->mask & (IN_MODIFY | IN_ATTRIB)) != 0, "%d %x", e->wd, e->mask);
    CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
    while (read(fd, room, sizeof room) > 0) {}
  }
  OK(inotify_rm_watch(fd, file));
  leave_place();
  return finish();
}
