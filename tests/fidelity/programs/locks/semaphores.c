// POSIX semaphores: in memory, with a name, and with a name that is removed.
#include "fidelity.h"

#include <fcntl.h>
#include <semaphore.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  sem_t own;
  OK(sem_init(&own, 0, 2));
  char name[64], gone[64];
  snprintf(name, sizeof name, "/fidelity-%d", getpid()), snprintf(gone, sizeof gone, "/fidelity-gone-%d", getpid());
  sem_t *const named = sem_open(name, O_CREAT | O_EXCL, 0600, 3), *const other =
                                                                      sem_open(gone, O_CREAT | O_EXCL, 0600, 3);
  CHECK(named != SEM_FAILED && other != SEM_FAILED);
  OK(sem_unlink(gone));
  sem_t* const all[] = {&own, named, other};
  for (int times = 0; times < 2; ++times) {
    line();
    for (int i = 0; i < 3; ++i) {
      int value = -1;
      OK(sem_getvalue(all[i], &value));
      CHECK(value == 3 - (i == 0) - times, "%d: %d", i, value);
      OK(sem_trywait(all[i]));
    }
    sem_t* const again = sem_open(name, 0);
    int value = -1;
    CHECK(again == named && sem_getvalue(again, &value) == 0 && value == 2 - times, "%d", value);
    OK(sem_close(again));
  }
  OK(sem_close(named)), OK(sem_close(other)), OK(sem_unlink(name));
  return finish();
}
