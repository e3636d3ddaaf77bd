// Keys that the kernel keeps for the process and for its thread (add_key).
// needs: python3 -c "import ctypes,sys;sys.exit(ctypes.CDLL(None).syscall(248,b'user',b'mana-test',b'x',1,-2)<0)"
#include "fidelity.h"

#include <linux/keyctl.h>
#include <sys/syscall.h>

static void look(int ring, const char* name, const char* wanted) {
  char found[16] = "";
  const long key = syscall(SYS_keyctl, KEYCTL_SEARCH, ring, "user", name, 0);
  CHECK(key > 0 && syscall(SYS_keyctl, KEYCTL_READ, key, found, sizeof found - 1) > 0, "%s", strerror(errno));
  CHECK(strcmp(found, wanted) == 0, "%s", found);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(syscall(SYS_add_key, "user", "mana-of-process", "secret", 6L, KEY_SPEC_PROCESS_KEYRING));
  OK(syscall(SYS_add_key, "user", "mana-of-thread", "own", 3L, KEY_SPEC_THREAD_KEYRING));
  for (int round = 0; round < 2; ++round) {
    line();
    look(KEY_SPEC_PROCESS_KEYRING, "mana-of-process", "secret");
    look(KEY_SPEC_THREAD_KEYRING, "mana-of-thread", "own");
  }
  return finish();
}
