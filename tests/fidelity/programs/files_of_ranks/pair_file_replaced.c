// Files that rank 0 makes by a temporary name and puts in place by rename, as rank 1 reads them: it sees complete ones
// only.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static int stop, writes_done;

static void* replaces(void* extra) {
  (void)extra;
  for (int i = 1; !__atomic_load_n(&stop, __ATOMIC_SEQ_CST); ++i) {
    char text[512], temporary[PATH_MAX + 16], final[PATH_MAX + 16];
    memset(text, 'a' + i % 26, sizeof text);
    snprintf(temporary, sizeof temporary, "%s/temporary", place);
    snprintf(final, sizeof final, "%s/final", place);
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(write(fd, text, sizeof text) == sizeof text && close(fd) == 0 && rename(temporary, final) == 0);
    __atomic_fetch_add(&writes_done, 1, __ATOMIC_SEQ_CST);
    usleep(1000);
  }
  return NULL;
}
static void look(void) {
  for (int times = 0; times < 20; ++times) {
    char found[600];
    const int fd = open(in("final"), O_RDONLY);
    CHECK(read(fd, found, sizeof found) == 512 && found[0] == found[511], "%c %c", found[0], found[511]);
    close(fd);
    usleep(500);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  pthread_t thread;
  if (me == 0) pthread_create(&thread, NULL, replaces, NULL);
  while (me == 0 && __atomic_load_n(&writes_done, __ATOMIC_SEQ_CST) < 3) usleep(1000);
  together();
  for (int round = 0; round < 3; ++round) {
    if (me == 1) look();
    if (round < 2) line();
  }
  together();
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  if (me == 0) pthread_join(thread, NULL);
  leave_common_place();
  return finish();
}
