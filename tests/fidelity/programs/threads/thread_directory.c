// A thread that has a working directory and a umask of its own (unshare), beside one that has the process's.
#include "place.h"

#include <pthread.h>
#include <sched.h>

static pthread_barrier_t before, after;

static int ends_with(const char* text, const char* end) {
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}
static void check(const char* where, mode_t mask) {
  char path[PATH_MAX];
  CHECK(getcwd(path, sizeof path) != NULL && ends_with(path, where), "%s", path);
  const mode_t found = umask(mask);
  CHECK(found == mask, "%o", found);
}
static void* of_its_own(void* is_own) {
  if (is_own != NULL) {
    OK(unshare(CLONE_FS));
    OK(chdir(in("sub")));
    umask(0137);
  }
  for (int times = 0; times < 2; ++times) {
    pthread_barrier_wait(&before);
    pthread_barrier_wait(&after);
    if (is_own != NULL) check("/sub", 0137);
    else check(strrchr(place, '/'), 0022);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  OK(mkdir(in("sub"), 0700));
  OK(chdir(place));
  umask(0022);
  pthread_barrier_init(&before, NULL, 3);
  pthread_barrier_init(&after, NULL, 3);
  pthread_t one, other;
  pthread_create(&one, NULL, of_its_own, place);
  pthread_create(&other, NULL, of_its_own, NULL);
  for (int times = 0; times < 2; ++times) {
    pthread_barrier_wait(&before);
    line();
    pthread_barrier_wait(&after);
    check(strrchr(place, '/'), 0022);
  }
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  OK(chdir("/"));
  leave_place();
  return finish();
}
