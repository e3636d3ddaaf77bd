// Facts about deleted files: mode, times, extended attributes, and the name that /proc has for them, two of which now
// belong to another file. The same of a directory and of a memory file. All stay in the directory where they were.
#include "place.h"

#include <sys/mman.h>
#include <sys/xattr.h>

static void tell(const char* what, int fd) {
  struct stat s;
  char own[64], name[PATH_MAX] = "", value[16] = "";
  OK(fstat(fd, &s));
  snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
  OK(readlink(own, name, sizeof name - 1));
  const char* const base = strrchr(name, '/');
  if (fgetxattr(fd, "user.kind", value, sizeof value - 1) < 0) strcpy(value, "none");
  printf("%s: mode %o, owner %d %d, read %ld.%09ld, written %ld.%09ld, kind %s, name %s\n", what, s.st_mode, (int)s.st_uid, (int)s.st_gid,
      s.st_atim.tv_sec, s.st_atim.tv_nsec, s.st_mtim.tv_sec, s.st_mtim.tv_nsec, value, base ? base : name);
}

static void set(int fd, mode_t mode, long when) {
  const struct timespec then[2] = {{when, 5}, {when + 1000, 500}};
  OK(fchmod(fd, mode));
  if (geteuid() == 0) OK(fchown(fd, 1234, 4321));
  OK(futimens(fd, then));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  const int plain = open(in("a log"), O_RDWR | O_CREAT, 0600), taken = open(in("taken"), O_RDWR | O_CREAT, 0600);
  OK(mkdir(in("sub"), 0700));
  const int directory = open(in("sub"), O_RDONLY | O_DIRECTORY), memory = memfd_create("in memory", 0);
  CHECK(writes(plain, "text"));
  CHECK(writes(memory, "text"));
  fsetxattr(plain, "user.kind", "scratch", 7, 0);          // where the file system has such
  set(plain, 0741, 1000);
  set(taken, 0400, 2000);
  set(memory, 0500, 3000);
  OK(unlink(in("a log")));
  OK(unlink(in("taken")));
  OK(rmdir(in("sub")));
  const int early = open(in("early"), O_RDWR | O_CREAT, 0600);
  OK(unlink(in("early")));
  make_file("early", "another");
  for (int times = 0; times < 3; ++times) {
    tell("plain", plain);
    tell("memory", memory);
    struct stat s;
    OK(fstat(directory, &s));
    CHECK((s.st_mode & 07777) == 0700, "%o", s.st_mode);
    if (times == 1) make_file("taken", "another");
    OK(fstat(taken, &s));
    CHECK((s.st_mode & 07777) == 0400 && s.st_atim.tv_sec == 2000 && s.st_mtim.tv_sec == 3000, "%o", s.st_mode);
    CHECK(strncmp(path_of_descriptor(early), place, strlen(place)) == 0, "%s", path_of_descriptor(early));
    if (times < 2) line();
    CHECK(times < 1 || holds("taken", "another"));
  }
  leave_place();
  return finish();
}
