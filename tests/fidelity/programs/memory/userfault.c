// Faults that another thread serves through userfaultfd.
// needs: python3 -c "import ctypes; exit(ctypes.CDLL(None).syscall(323, 1) < 0)"
#include "fidelity.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

enum { count = 16, page = 4096 };
static int faults;

static void* serve(void* unused) {
  static char contents[page];
  struct uffd_msg message;
  while (read(faults, &message, sizeof message) == sizeof message) {
    memset(contents, 'u', page);
    struct uffdio_copy copy = {.dst = message.arg.pagefault.address & ~(uint64_t)(page - 1),
                               .src = (uintptr_t)contents, .len = page};
    ioctl(faults, UFFDIO_COPY, &copy);
  }
  return unused;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);      // users may not serve the kernel's
  char* const all = mmap(NULL, count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct uffdio_api api = {.api = UFFD_API};
  struct uffdio_register range = {.range = {(uintptr_t)all, count * page}, .mode = UFFDIO_REGISTER_MODE_MISSING};
  CHECK(faults >= 0 && ioctl(faults, UFFDIO_API, &api) == 0 && ioctl(faults, UFFDIO_REGISTER, &range) == 0);
  pthread_t server;
  pthread_create(&server, NULL, serve, NULL);
  CHECK(*(volatile char*)all == 'u');
  line();
  CHECK(*(volatile char*)(all + page) == 'u' && *all == 'u');
  line();
  CHECK(*(volatile char*)(all + 2 * page) == 'u' && *all == 'u');
  return finish();
}
