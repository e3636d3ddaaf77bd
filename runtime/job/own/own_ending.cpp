// exit of the lower half, found by its libraries before libc's. MPICH's MPI_Abort calls it, Open MPI's does not
// (_exit).
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

/// The program's exit() comes back here, by its trap, and then it is libc's.
extern "C" [[gnu::visibility("default"), noreturn]] void exit(int status) noexcept {
  if (thread_whose_program_exits.load() == gettid()) {
    thread_whose_program_exits.store(0);
    mana::job::with_program([=](const auto& program) { program.exit(status); });
  }
  libcs()(status);
  __builtin_unreachable();
}
