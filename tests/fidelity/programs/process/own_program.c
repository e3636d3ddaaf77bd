// The file of the running program by the links of /proc: by all calls that take a name, and by all names of the link.
#include "fidelity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

static char path[4096];

static void one(int at, const char* name) {
  char found[4096] = "";
  struct stat program, s;
  struct statx x;
  OK(stat(path, &program));
  const ssize_t n = readlinkat(at, name, found, sizeof found - 1);
  CHECK(n > 0 && strcmp(found, path) == 0, "%s: %s", name, found);
  CHECK(readlinkat(at, name, found, 3) == 3);
  CHECK(fstatat(at, name, &s, 0) == 0 && s.st_ino == program.st_ino && s.st_size == program.st_size, "%s", name);
  CHECK(fstatat(at, name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(s.st_mode), "%s", name);
  CHECK(statx(at, name, 0, STATX_BASIC_STATS, &x) == 0 && x.stx_ino == program.st_ino, "%s", name);
  CHECK(statx(at, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &x) == 0 && S_ISLNK(x.stx_mode), "%s", name);
  CHECK(faccessat(at, name, R_OK | X_OK, 0) == 0 && faccessat(at, name, X_OK, AT_EACCESS) == 0, "%s", name);
  for (int i = 0; i < 2; ++i) {
    const int fd = openat(at, name, (i == 0 ? O_RDONLY : O_PATH) | O_CLOEXEC);
    CHECK(fd >= 0 && fstat(fd, &s) == 0 && s.st_ino == program.st_ino, "%s: %s", name, strerror(errno));
    CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    close(fd);
  }
  const int link = openat(at, name, O_PATH | O_NOFOLLOW);
  CHECK(link >= 0 && fstat(link, &s) == 0 && S_ISLNK(s.st_mode), "%s", name);
  close(link);
  CHECK(openat(at, name, O_RDONLY | O_NOFOLLOW) == -1 && errno == ELOOP, "%s", name);
  union { struct file_handle h; char room[sizeof(struct file_handle) + MAX_HANDLE_SZ]; } a = {.h.handle_bytes = MAX_HANDLE_SZ},
                                                                                      b = {.h.handle_bytes = MAX_HANDLE_SZ};
  int mount = 0, other = 0;
  if (name_to_handle_at(AT_FDCWD, path, &a.h, &mount, 0) == 0)
    CHECK(name_to_handle_at(at, name, &b.h, &other, AT_SYMLINK_FOLLOW) == 0 && memcmp(&a, &b, sizeof a) == 0 && mount == other, "%s", name);
}
static void by_path(const char* name) {
  struct stat program, s;
  struct statvfs of_program, v;
  OK(stat(path, &program));
  CHECK(stat(name, &s) == 0 && s.st_ino == program.st_ino && s.st_dev == program.st_dev, "%s", name);
  CHECK(lstat(name, &s) == 0 && S_ISLNK(s.st_mode), "%s", name);
  CHECK(access(name, X_OK) == 0 && (access(name, W_OK) == 0) == (access(path, W_OK) == 0), "%s", name);
  CHECK(statvfs(path, &of_program) == 0 && statvfs(name, &v) == 0 && v.f_fsid == of_program.f_fsid, "%s", name);
  char* const real = realpath(name, NULL);
  CHECK(real != NULL && strcmp(real, path) == 0, "%s: %s", name, real);
  free(real);
  one(AT_FDCWD, name);
}
static void executed(const char* name) {
  const pid_t child = fork();
  if (child == 0) {
    execl(name, "program", "ends", NULL);
    _exit(1);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42, "%s %x", name, (unsigned)status);
}

int main(int argc, char** argv) {
  if (argc > 1) return 42;
  if (realpath(argv[0], path) == NULL) return 1;
  begin(&argc, &argv);
  for (int round = 0; round < 3; ++round) {
    char name[64], task[64];
    snprintf(name, sizeof name, "/proc/%d/exe", getpid());
    snprintf(task, sizeof task, "/proc/self/task/%d/exe", getpid());
    const char* const names[] = {"/proc/self/exe", "/proc/thread-self/exe", name, task};
    for (int i = 0; i < 4; ++i) by_path(names[i]);
    for (int i = 0; i < 3; ++i) executed(names[i]);           // the last is of a thread of the parent's
    const int self = open("/proc/self", O_RDONLY | O_DIRECTORY), here = open(".", O_RDONLY | O_DIRECTORY);
    one(self, "exe");
    OK(fchdir(self));
    one(AT_FDCWD, "exe");
    one(AT_FDCWD, "./exe");
    OK(fchdir(here));
    close(self), close(here);
    struct stat s;
    CHECK(symlink("/proc/self/exe", "exe") == 0 && readlink("exe", task, sizeof task) == 14 && stat("exe", &s) == 0);
    OK(unlink("exe"));
    if (round < 2) line();
  }
  return finish();
}
