#include <runtime/files/borrowed_process.hpp>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace mana::store {

namespace {

struct task {
  void (*work)(void*) noexcept;
  void* argument;
};

/// It ends with this process: nobody would read what it does.
void run(task* what) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  what->work(what->argument);
}

/// Without an exit signal, so that no SIGCHLD and no wait of the program's finds it. It runs on the caller's stack, below the
/// caller's frames and red zone, as after vfork: none of the caller's code runs before it has ended.
/// out: its number, or -errno
[[gnu::noinline]] long begin(task* what) noexcept {
  constexpr long flags = CLONE_VM | CLONE_FS | CLONE_VFORK;
  register void (*entry)(task*) noexcept asm("r12") = run;
  register task* argument asm("r13") = what;
  register long no_tid asm("r10") = 0;
  register long no_pointer asm("r8") = 0;
  long result = SYS_clone;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "sub $256, %%rsp\n\t"
      "and $-16, %%rsp\n\t"
      "mov %%r13, %%rdi\n\t"
      "call *%%r12\n\t"
      "xor %%edi, %%edi\n\t"
      "mov %[end], %%eax\n\t"
      "syscall\n\t"
      "hlt\n"
      "1:"
      : "+a"(result)
      : "D"(flags), "S"(0L), "d"(0L), "r"(no_tid), "r"(no_pointer), "r"(entry), "r"(argument), [end] "i"(SYS_exit_group)
      : "rcx", "r11", "memory", "cc");
  return result;
}

/// Its memory is this one's, and was left in the middle of something: so this process ends as it did.
void end_as(int status) noexcept {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  kill(getpid(), WTERMSIG(status));
  kill(getpid(), SIGKILL);
}

}  // namespace

bool in_borrowed_process(void (*work)(void*) noexcept, void* argument) noexcept {
  task what{work, argument};
  const long id = begin(&what);
  if (id < 0) return false;
  int status = 0;
  pid_t ended = 0;
  do ended = waitpid(static_cast<pid_t>(id), &status, __WALL);
  while (ended < 0 && errno == EINTR);
  if (ended == id) end_as(status);
  return true;
}

}  // namespace mana::store
