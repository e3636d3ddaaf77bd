// The limit of open files that the program sets itself, higher or lower.
#include "fidelity.h"

#include <fcntl.h>
#include <sys/resource.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int times = 0; times < 2; ++times) {
    struct rlimit limit, now;
    OK(getrlimit(RLIMIT_NOFILE, &limit));
    limit.rlim_cur = times == 0 ? 5000 : 200;
    OK(setrlimit(RLIMIT_NOFILE, &limit));
    line();
    OK(getrlimit(RLIMIT_NOFILE, &now));
    CHECK(now.rlim_cur == limit.rlim_cur && now.rlim_max == limit.rlim_max, "%lu %lu", now.rlim_cur, now.rlim_max);
    const int fd = open("/dev/null", O_RDONLY);
    OK(fd);
    CHECK(fcntl(fd, F_DUPFD, (int)limit.rlim_cur) == -1 && errno == EINVAL);
  }
  return finish();
}
