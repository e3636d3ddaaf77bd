// Handlers of faults that repair the cause: a division by zero, an invalid instruction, a missing page.
#include "fidelity.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

static volatile int met[3];
static char* page;
static void handler(int signal, siginfo_t* info, void* context) {
  greg_t* const registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  if (signal == SIGFPE) ++met[0], registers[REG_RCX] = 5;                            // what it is divided by
  else if (signal == SIGILL) ++met[1], registers[REG_RIP] += 2, registers[REG_RAX] = 77;
  else if (info->si_addr == page + 100) ++met[2], mprotect(page, 4096, PROT_READ | PROT_WRITE);
  else _exit(95);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  sigaction(SIGFPE, &action, NULL), sigaction(SIGILL, &action, NULL), sigaction(SIGSEGV, &action, NULL);
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  page[100] = 8;
  for (int round = 0; round < 3; ++round) {
    OK(mprotect(page, 4096, PROT_NONE));
    if (round > 0) line();
    long quotient = 100, rest = 0, by = 0, result = 0;
    __asm__ volatile("idivq %2" : "+a"(quotient), "+d"(rest), "+c"(by));
    CHECK(quotient == 20 && by == 5, "%ld", quotient);
    __asm__ volatile("ud2" : "=a"(result));
    CHECK(result == 77, "%ld", result);
    CHECK(((volatile char*)page)[100] == 8);
    for (int i = 0; i < 3; ++i) CHECK(met[i] == round + 1, "%d: %d", i, met[i]);
  }
  return finish();
}
