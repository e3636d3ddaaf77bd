// The stack of the main thread: where pthread_getattr_np says it is, that it grows, and that arguments and environment stay.
#include "fidelity.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>

static char* lowest;
static unsigned deep(unsigned left) {
  volatile char room[65536];
  room[0] = (char)left;
  if ((char*)room < lowest || lowest == NULL) lowest = (char*)room;
  return left == 0 ? 0 : deep(left - 1) + (room[0] == (char)left);
}
static void consistent(int argc, char** argv) {
  pthread_attr_t attributes;
  void* start;
  size_t size;
  struct rlimit limit;
  const char here = 0;
  getrlimit(RLIMIT_STACK, &limit);
  CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
  pthread_attr_getstack(&attributes, &start, &size);
  CHECK(&here > (char*)start && &here < (char*)start + size);
  CHECK(limit.rlim_cur == RLIM_INFINITY || (size <= limit.rlim_cur && size + 262144 > limit.rlim_cur), "%zu", size);
  CHECK(lowest == NULL || lowest > (char*)start);
  CHECK((char*)argv > &here && argc == 1 && argv[1] == NULL && strstr(argv[0], "program") != NULL);
  CHECK(getauxval(AT_PAGESZ) == 4096 && strstr((const char*)getauxval(AT_EXECFN), "program") != NULL, "%s",
        (const char*)getauxval(AT_EXECFN));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  consistent(argc, argv);
  CHECK(deep(10) == 10);
  line();
  consistent(argc, argv);
  CHECK(deep(50) == 50);                                                // 3 MiB, more than ever before
  line();
  CHECK(deep(100) == 100);                                              // 6 MiB
  consistent(argc, argv);
  return finish();
}
