/* Static data of more GiB than the small code model reaches: zeroed, and apart from heap, stack and libraries. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>

static char data[GIB << 30];
static long initialized = 3;

static void* work(void* at) {
  *(char*)at += 1;
  return at;
}

int main(void) {
  CHECK(initialized == 3);
  for (size_t i = 0; i < sizeof data; i += 1ul << 28) CHECK(data[i] == 0);
  for (size_t i = 0; i < sizeof data; i += 1ul << 28) data[i] = (char)(i >> 28);
  data[sizeof data - 1] = 1;
  char* const heap = malloc(1 << 20);
  int here = 0;
  const char* const others[] = {heap, (char*)&here, (char*)puts, (char*)main};
  for (int i = 0; i < 4; ++i) CHECK(others[i] < data || others[i] >= data + sizeof data);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, work, data + sizeof data - 1) == 0 && pthread_join(thread, NULL) == 0);
  CHECK(data[sizeof data - 1] == 2);
  for (size_t i = 0; i < sizeof data; i += 1ul << 28) CHECK(data[i] == (char)(i >> 28));
  puts("large");
  free(heap);
  return 0;
}
