// Pages that nobody may touch, and read-only ones: a handler of SIGSEGV counts the faults, and opens the page.
#include "fidelity.h"

#include <signal.h>
#include <sys/mman.h>

enum { count = 8, page = 4096 };
static char* pages;
static volatile int faults, strange;

static void on_fault(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  char* const at = (char*)((uintptr_t)info->si_addr & ~(uintptr_t)(page - 1));
  ++faults;
  if (at < pages || at >= pages + count * page || info->si_code != SEGV_ACCERR) ++strange;
  if (mprotect(at, page, PROT_READ | PROT_WRITE) != 0) _exit(3);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pages = mmap(NULL, count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int which = 0; which < count; ++which) pages[which * page] = (char)(which + 1);
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = on_fault;
  sigaction(SIGSEGV, &action, NULL);
  mprotect(pages, 4 * page, PROT_NONE);
  mprotect(pages + 4 * page, 4 * page, PROT_READ);
  for (int round = 0; round < 2; ++round) {
    line();
    faults = 0;
    for (int which = 0; which < count; ++which) CHECK(*(volatile char*)(pages + which * page) == which + 1);
    CHECK(faults == 4, "%d", faults);
    for (int which = 0; which < count; ++which) *(volatile char*)(pages + which * page) = (char)(which + 1);
    CHECK(faults == 8, "%d", faults);
    CHECK(strange == 0, "%d", strange);
    mprotect(pages, 4 * page, PROT_NONE);
    mprotect(pages + 4 * page, 4 * page, PROT_READ);
  }
  return finish();
}
