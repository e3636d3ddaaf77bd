// A checkpoint for which the program's limit of memory leaves nothing is given up. The program continues to the next
// one.
#include "fidelity.h"

#include <sys/resource.h>

static uint32_t given_up;

static void on_resumed(enum mana_event event, const struct mana_hook_info* info, void* extra) {
  (void)event, (void)extra;
  __atomic_store_n(&given_up, info->durable ? 2 : 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &given_up, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/// Bytes of address space.
static rlim_t mapped(void) {
  unsigned long pages = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%lu", &pages) == 1);
  fclose(file);
  return (rlim_t)pages * 4096;
}

/// No thread's stack has room any more.
static void try_in_vain(void) {
  const int hook = mana_hook_add(MANA_RESUMED, on_resumed, NULL);
  struct rlimit before, now;
  getrlimit(RLIMIT_AS, &before);
  now = before;
  now.rlim_cur = mapped() + (1 << 20);
  CHECK(setrlimit(RLIMIT_AS, &now) == 0);
  CHECK(mana_checkpoint(MANA_GO_ON) == 0);
  while (__atomic_load_n(&given_up, __ATOMIC_SEQ_CST) == 0) syscall(SYS_futex, &given_up, FUTEX_WAIT, 0, NULL, NULL, 0);
  CHECK(given_up == 1, "it was taken");
  CHECK(setrlimit(RLIMIT_AS, &before) == 0);
  mana_hook_remove(hook);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (what_at(0) != '-') try_in_vain();
  line();
  line();
  CHECK(given_up <= 1);
  return finish();
}
