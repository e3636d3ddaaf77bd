// INV-84: The memory that the kernel counts as promised to the program, and the rest (MAP_NORESERVE), as
// /proc/self/smaps reports it. Mappings of mmap, mprotect and mremap, of malloc, of threads, of files and of shared
// memory.
#include "fidelity.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

enum { page = 4096, bytes = 64 * page, most = 32 };

static struct { const char* name; char* at; } places[most];
static int count;
static char* in_arena;
static char* in_stack;

static void* remember(const char* name, void* at) {
  CHECK(at != MAP_FAILED && at != NULL, "%s: %s", name, strerror(errno));
  places[count].name = name;
  places[count++].at = at;
  return at;
}

/// Between two that are PROT_NONE, so that it is joined with no other.
static char* map(const char* name, int protection, int flags, int fd) {
  char* const at = mmap(NULL, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED);
  return remember(name, mmap(at + page, bytes, protection, flags | MAP_FIXED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0));
}

/// out: of the mapping that has `at`: its protection, then "ac", "nr", "gd", those that it has
static void kind_of(const char* at, char out[40]) {
  char text[512], mode[5] = "";
  unsigned long begin = 0, end = 0;
  int is_there = 0;
  FILE* const file = fopen("/proc/self/smaps", "r");
  strcpy(out, "none");
  while (file && fgets(text, sizeof text, file)) {
    char own[5];
    if (sscanf(text, "%lx-%lx %4s", &begin, &end, own) == 3) {
      strcpy(mode, own);
      is_there = begin <= (uintptr_t)at && (uintptr_t)at < end;
    }
    if (!is_there || strncmp(text, "VmFlags:", 8) != 0) continue;
    snprintf(out, 40, "%s%s%s%s", mode, strstr(text, " ac") ? " ac" : "", strstr(text, " nr") ? " nr" : "",
             strstr(text, " gd") ? " gd" : "");
    break;
  }
  if (file) fclose(file);
}

static void* in_thread(void* ready) {
  char local[page];
  memset(local, 1, sizeof local);
  in_stack = local;
  in_arena = malloc(100);
  memset(in_arena, 2, 100);
  pthread_barrier_wait(ready);
  while (pause() != 0) continue;
  return NULL;
}

static void make_private(void) {
  enum { both = PROT_READ | PROT_WRITE, again = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED };
  memset(map("written", PROT_READ | PROT_WRITE, MAP_PRIVATE, -1), 3, bytes);
  map("not written", PROT_READ | PROT_WRITE, MAP_PRIVATE, -1);
  map("read-only", PROT_READ, MAP_PRIVATE, -1);
  map("closed", PROT_NONE, MAP_PRIVATE, -1);
  memset(map("written, not reserved", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, -1), 4, bytes / 2);
  map("closed, not reserved", PROT_NONE, MAP_PRIVATE | MAP_NORESERVE, -1);
  char* at = map("opened", PROT_NONE, MAP_PRIVATE, -1);
  mprotect(at, bytes, PROT_READ | PROT_WRITE), memset(at, 5, bytes);
  at = map("opened, not reserved", PROT_NONE, MAP_PRIVATE | MAP_NORESERVE, -1);
  mprotect(at, bytes, PROT_READ | PROT_WRITE), memset(at, 6, bytes);
  at = map("written, then read-only", PROT_READ | PROT_WRITE, MAP_PRIVATE, -1);
  memset(at, 7, bytes), mprotect(at, bytes, PROT_READ);
  at = map("written, then closed", PROT_READ | PROT_WRITE, MAP_PRIVATE, -1);
  memset(at, 8, bytes), mprotect(at, bytes, PROT_NONE);
  at = map("not reserved, then mapped anew in its middle", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, -1);
  remember("mapped anew", mmap(at + bytes / 4, bytes / 4, both, again, -1, 0));
  remember("behind it", at + bytes / 2);
  at = map("its later half is moved away", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, -1);
  char* const to = mmap(NULL, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // Not libc's: UCX puts a function of four arguments in its place.
  const long moved = syscall(SYS_mremap, at + bytes / 2, bytes / 2, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
  remember("moved and grown", (void*)moved);
  remember("in its place", mmap(at + bytes / 2, bytes / 2, both, again, -1, 0));
}

static void make_others(void) {
  char name[] = "map_reserved.XXXXXX", all[bytes];
  const int fd = mkstemp(name);
  memset(all, 9, sizeof all);
  CHECK(write(fd, all, sizeof all) == sizeof all);
  map("a file's, read-only", PROT_READ, MAP_PRIVATE, fd);
  *map("a file's, written", PROT_READ | PROT_WRITE, MAP_PRIVATE, fd) = 1;
  map("a file's, not reserved", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd);
  map("a file's, shared", PROT_READ | PROT_WRITE, MAP_SHARED, fd);
  map("shared", PROT_READ | PROT_WRITE, MAP_SHARED, -1);
  map("shared, not reserved", PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, -1);
  close(fd);
  *(char*)remember("the heap", sbrk(16 * page)) = 1;
  static pthread_barrier_t ready;
  pthread_t thread;
  pthread_barrier_init(&ready, NULL, 2);
  pthread_create(&thread, NULL, in_thread, &ready);
  pthread_barrier_wait(&ready);
  remember("a thread's arena", in_arena);
  remember("a thread's stack", in_stack);
  remember("the stack", __builtin_frame_address(0));
  static char data[page] = {1};
  remember("data", data);
  static const char constant[page] = {1};
  remember("constants", (char*)constant);
  remember("code", (char*)(uintptr_t)make_private);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_private();
  make_others();
  char before[most][40];
  for (int i = 0; i < count; ++i) {
    kind_of(places[i].at, before[i]);
    printf("%s: %s\n", places[i].name, before[i]);
  }
  for (int round = 0; round < 2; ++round) {
    line();
    for (int i = 0; i < count; ++i) {
      char now[40];
      kind_of(places[i].at, now);
      CHECK(strcmp(now, before[i]) == 0, "%s: was \"%s\", is \"%s\"", places[i].name, before[i], now);
    }
  }
  return finish();
}
