// A read-write lock that prefers writers: readers hold it, a writer and a reader behind it wait at the lines.
#include "fidelity.h"

#include <pthread.h>

static pthread_rwlock_t lock;
static int holding, let_go, wrote, order[3], at;

static void* reads(void* extra) {
  CHECK(pthread_rwlock_rdlock(&lock) == 0);
  __atomic_fetch_add(&holding, 1, __ATOMIC_SEQ_CST);
  await_count(&let_go, 1);
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  return extra;
}
static void* writes(void* extra) {
  CHECK(pthread_rwlock_wrlock(&lock) == 0);
  order[at++] = 1, wrote = 1;
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  return extra;
}
static void* reads_behind(void* extra) {
  CHECK(pthread_rwlock_rdlock(&lock) == 0);
  order[at++] = 2;
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  return extra;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_rwlockattr_t attributes;
  pthread_t readers[2], writer, behind;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock, &attributes);
  for (int i = 0; i < 2; ++i) pthread_create(&readers[i], NULL, reads, NULL);
  CHECK(comes_to(&holding, 2));
  pthread_create(&writer, NULL, writes, NULL);
  // until the writer waits
  while (pthread_rwlock_tryrdlock(&lock) == 0) pthread_rwlock_unlock(&lock), usleep(500);
  pthread_create(&behind, NULL, reads_behind, NULL);
  usleep(10000);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(at == 0 && pthread_rwlock_tryrdlock(&lock) == EBUSY && pthread_rwlock_trywrlock(&lock) == EBUSY);
  }
  count_one(&let_go);
  for (int i = 0; i < 2; ++i) pthread_join(readers[i], NULL);
  pthread_join(writer, NULL), pthread_join(behind, NULL);
  CHECK(wrote && order[0] == 1 && order[1] == 2, "%d %d", order[0], order[1]);
  return finish();
}
