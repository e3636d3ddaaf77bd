// Limits that the program lowered.
#include "fidelity.h"

#include <sys/resource.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct { int which; rlim_t lower; const char* name; } rows[] = {{RLIMIT_CORE, 0, "core"},
      {RLIMIT_NOFILE, 200, "nofile"}, {RLIMIT_STACK, 4 << 20, "stack"}, {RLIMIT_FSIZE, 1 << 30, "fsize"},
      {RLIMIT_CPU, 5000, "cpu"}, {RLIMIT_SIGPENDING, 1000, "sigpending"}, {RLIMIT_MSGQUEUE, 10000, "msgqueue"}};
  enum { count = sizeof rows / sizeof *rows };
  struct rlimit set[count], now;
  for (int row = 0; row < count; ++row) {
    getrlimit((unsigned)rows[row].which, &set[row]);
    set[row].rlim_cur = rows[row].lower;
    CHECK(setrlimit((unsigned)rows[row].which, &set[row]) == 0, "%s", rows[row].name);
  }
  for (int round = 0; round < 2; ++round) {
    line();
    for (int row = 0; row < count; ++row) {
      getrlimit((unsigned)rows[row].which, &now);
      CHECK(now.rlim_cur == rows[row].lower, "%s: %ld", rows[row].name, (long)now.rlim_cur);
      CHECK(now.rlim_max == set[row].rlim_max, "%s: %ld", rows[row].name, (long)now.rlim_max);
    }
  }
  return finish();
}
