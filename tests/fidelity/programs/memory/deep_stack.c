// The lines are met deep in the stack, near its limit, and above a large alloca.
#include "fidelity.h"

#include <alloca.h>
#include <sys/resource.h>

enum { frame = 4096 };

static __attribute__((noinline)) long down(int depth) {
  volatile char here[frame];
  for (int at = 0; at < frame; at += 64) here[at] = (char)depth;
  const long below = depth == 0 ? (line(), 0) : down(depth - 1);
  for (int at = 0; at < frame; at += 64)
    if (here[at] != (char)depth) return -1000000;
  return below + 1;
}

static __attribute__((noinline)) void large(size_t size) {
  unsigned char* const all = alloca(size);
  for (size_t at = 0; at < size; ++at) all[at] = (unsigned char)(at / 3);
  line();
  size_t differ = 0;
  for (size_t at = 0; at < size; ++at) differ += all[at] != (unsigned char)(at / 3);
  CHECK(differ == 0, "%zu bytes", differ);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  struct rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  const size_t whole = limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > (8u << 20) ? 8u << 20 : limit.rlim_cur;
  const size_t used = whole - (1u << 19);              // half a MiB for what is below and above
  const int depth = (int)(used / (frame + 128));
  const long depths = down(depth);
  CHECK(depths == depth + 1, "%ld", depths);
  large(used);
  return finish();
}
