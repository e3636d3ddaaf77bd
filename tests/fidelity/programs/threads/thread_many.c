// 200 threads at the lines, each with a value of its own, a stack of its own size with a guard page, and a destructor.
#include "fidelity.h"

#include <pthread.h>
#include <sys/mman.h>

enum { threads = 200 };
static pthread_barrier_t meeting;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int destroyed, made, ran_once;
static __thread long mine;

static void destroy(void* value) {
  if (*(long*)value == mine) __atomic_fetch_add(&destroyed, 1, __ATOMIC_SEQ_CST);
  free(value);
}
static void just_once(void) { ++ran_once; }
static int is_mapped(char* page) {
  int pipes[2];
  OK(pipe(pipes));
  const int readable = write(pipes[1], page, 1) == 1;
  close(pipes[0]), close(pipes[1]);
  return readable;
}
static void* body(void* extra) {
  volatile char depth[40000];
  depth[0] = depth[39999] = (char)(long)extra;
  mine = (long)extra;
  long* value = malloc(sizeof *value);
  *value = mine;
  pthread_setspecific(key, value);
  pthread_once(&once, just_once);
  for (int i = 0; i < 3; ++i) {
    pthread_barrier_wait(&meeting), pthread_barrier_wait(&meeting);
    CHECK(mine == (long)extra && *(long*)pthread_getspecific(key) == mine && depth[0] == (char)mine);
    CHECK(depth[39999] == (char)mine);
    pthread_attr_t attributes;
    void* start;
    size_t size, guard;
    CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
    pthread_attr_getstack(&attributes, &start, &size), pthread_attr_getguardsize(&attributes, &guard);
    CHECK((char*)depth > (char*)start && (char*)depth < (char*)start + size && guard == 8192, "%zu", guard);
    if (mine % 20 == 0) {
      char* const low = start;                          // glibc of 2.36 counts the guard out of the stack or into it
      CHECK(is_mapped((char*)depth) && (!is_mapped(low) || !is_mapped(low - 4096)));
    }
    pthread_attr_destroy(&attributes);
  }
  __atomic_fetch_add(&made, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t all[threads];
  pthread_key_create(&key, destroy);
  pthread_barrier_init(&meeting, NULL, threads + 1);
  for (long i = 0; i < threads; ++i) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes), pthread_attr_setguardsize(&attributes, 8192);
    pthread_attr_setstacksize(&attributes, i == 7 ? 512u << 20 : 131072u + 65536u * (size_t)(i % 3));
    CHECK(pthread_create(&all[i], &attributes, body, (void*)i) == 0);
  }
  for (int i = 0; i < 3; ++i) {
    pthread_barrier_wait(&meeting);
    if (i > 0) line();
    pthread_barrier_wait(&meeting);
  }
  for (int i = 0; i < threads; ++i) CHECK(pthread_join(all[i], NULL) == 0);
  pthread_once(&once, just_once);
  CHECK(made == threads && destroyed == threads && ran_once == 1, "%d %d %d", made, destroyed, ran_once);
  return finish();
}
