// Restartable sequences, which libc registers for each thread: the number of the processor is the kernel's, in all
// threads.
#include "fidelity.h"

#include <pthread.h>
#include <sched.h>
#include <sys/rseq.h>

static pthread_barrier_t barrier;
static void look(void) {
  const struct rseq* const area = (const struct rseq*)((char*)__builtin_thread_pointer() + __rseq_offset);
  int same = 0;
  for (int tries = 0; tries < 50 && !same; ++tries) {
    const unsigned before = __atomic_load_n(&area->cpu_id, __ATOMIC_RELAXED);
    unsigned cpu = 0;
    syscall(SYS_getcpu, &cpu, NULL, NULL);
    same = before == cpu && __atomic_load_n(&area->cpu_id, __ATOMIC_RELAXED) == cpu;
  }
  CHECK(__rseq_size == 0 || same, "%d", (int)area->cpu_id);
}
static void* body(void* extra) {
  for (int round = 0; round < 2; ++round) look(), pthread_barrier_wait(&barrier), pthread_barrier_wait(&barrier),
      look();
  return extra;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t threads[2], fresh;
  const unsigned size = __rseq_size;
  pthread_barrier_init(&barrier, NULL, 3);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, body, NULL);
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    line();
    look();
    CHECK(__rseq_size == size, "%u", __rseq_size);
    pthread_barrier_wait(&barrier);
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  pthread_barrier_init(&barrier, NULL, 1);
  pthread_create(&fresh, NULL, body, NULL), pthread_join(fresh, NULL);
  return finish();
}
