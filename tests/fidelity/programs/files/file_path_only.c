// Descriptors that are only places in a file system: of a file, of a directory, of a symbolic link itself, of a socket.
#include "place.h"

#include <sys/socket.h>
#include <sys/un.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("f", "text");
  OK(symlink("f", in("link")));
  OK(mknod(in("socket"), S_IFSOCK | 0600, 0));
  const int file = open(in("f"), O_PATH), place_of_all = open(place, O_PATH | O_DIRECTORY);
  const int link = open(in("link"), O_PATH | O_NOFOLLOW), socket = open(in("socket"), O_PATH);
  for (int times = 0; times < 2; ++times) {
    line();
    char target[8] = {0};
    struct stat s;
    CHECK(fcntl(file, F_GETFL) & O_PATH);
    CHECK(read(file, target, 1) == -1 && errno == EBADF);
    const int again = openat(place_of_all, "f", O_RDONLY);
    CHECK(reads(again, "text"));
    close(again);
    CHECK(readlinkat(link, "", target, sizeof target) == 1 && target[0] == 'f', "%s", strerror(errno));
    OK(fstat(link, &s));
    CHECK(S_ISLNK(s.st_mode), "%o", s.st_mode);
    OK(fstat(socket, &s));
    CHECK(S_ISSOCK(s.st_mode), "%o", s.st_mode);
    CHECK(fcntl(socket, F_GETFL) & O_PATH);
  }
  leave_place();
  return finish();
}
