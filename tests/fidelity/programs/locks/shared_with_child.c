// A mutex, a condition, a barrier and a semaphore in memory shared with children that have ended when lines are met.
#include "fidelity.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>

struct shared {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  pthread_barrier_t barrier;
  sem_t semaphore;
  int turns, posted;
};

static void child(struct shared* all) {
  pthread_mutex_lock(&all->mutex);
  ++all->turns;
  pthread_cond_signal(&all->condition), pthread_mutex_unlock(&all->mutex);
  sem_post(&all->semaphore);
  pthread_barrier_wait(&all->barrier);
  _exit(0);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  struct shared* const all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t of_mutex;
  pthread_condattr_t of_condition;
  pthread_barrierattr_t of_barrier;
  pthread_mutexattr_init(&of_mutex), pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
  pthread_condattr_init(&of_condition), pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
  pthread_barrierattr_init(&of_barrier), pthread_barrierattr_setpshared(&of_barrier, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&all->mutex, &of_mutex), pthread_cond_init(&all->condition, &of_condition);
  pthread_barrier_init(&all->barrier, &of_barrier, 2), sem_init(&all->semaphore, 1, 0);
  for (int round = 0; round < 3; ++round) {
    const pid_t pid = fork();
    if (pid == 0) child(all);
    pthread_mutex_lock(&all->mutex);
    while (all->turns == round) pthread_cond_wait(&all->condition, &all->mutex);
    pthread_mutex_unlock(&all->mutex);
    pthread_barrier_wait(&all->barrier);
    int status = -1, value = -1;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0, "%x", (unsigned)status);
    CHECK(sem_getvalue(&all->semaphore, &value) == 0 && value == round + 1, "%d", value);
    if (round < 2) line();
    CHECK(all->turns == round + 1);
  }
  return finish();
}
