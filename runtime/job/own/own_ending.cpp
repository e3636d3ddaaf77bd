// Replaces libc's exit in the lower half; its libraries find this one first. MPICH's MPI_Abort calls exit, Open MPI's
// calls _exit.
#include <runtime/job/own/own_ending.hpp>

#include <runtime/job/program_functions.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>

namespace {

constinit std::atomic<pid_t> thread_whose_program_exits{0};

using ender = void(int);

ender* libcs() noexcept {
  static ender* const found = reinterpret_cast<ender*>(dlsym(RTLD_NEXT, "exit"));
  return found;
}

}  // namespace

void mana::job::let_program_exit() noexcept { thread_whose_program_exits.store(gettid()); }

/// The program's exit() ends here too, through its trap, and then calls libc's exit.
extern "C" [[gnu::visibility("default")]] void exit(int status) noexcept {
  if (thread_whose_program_exits.load() == gettid()) {
    thread_whose_program_exits.store(0);
    mana::job::with_program([=](const auto& program) { program.exit(status); });
  }
  libcs()(status);
  __builtin_unreachable();
}
