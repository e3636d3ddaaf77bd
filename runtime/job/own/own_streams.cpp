// Replaces libc's setbuf, setvbuf and fflush in the lower half; its libraries find these first. In a native run, an MPI
// library shares the program's libc. MPICH makes standard output unbuffered when it connects to its launcher, so that
// no output is lost; the wrapper library does the same to the program's streams. Open MPI flushes standard output
// before it ends a program that calls MPI outside of MPI_Init and MPI_Finalize.
#include <runtime/job/own/own_streams.hpp>

#include <runtime/job/program_functions.hpp>

#include <dlfcn.h>
#include <stdio.h>

#include <atomic>

namespace {

constinit std::atomic<std::uint32_t> unbuffered{0};

template <class Function>
Function* libcs(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

std::uint32_t mana::job::unbuffered_streams() noexcept { return unbuffered.load(std::memory_order_relaxed); }

#pragma GCC visibility push(default)
extern "C" {

int setvbuf(FILE* stream, char* buffer, int mode, std::size_t bytes) noexcept {
  static auto* const real = libcs<int(FILE*, char*, int, std::size_t)>("setvbuf");
  FILE* const standard[] = {stdin, stdout, stderr};
  for (unsigned number = 0; number < 3; ++number)
    if (stream == standard[number] && mode == _IONBF)
      unbuffered.fetch_or(std::uint32_t{1} << number, std::memory_order_relaxed);
  return real(stream, buffer, mode, bytes);
}

void setbuf(FILE* stream, char* buffer) noexcept {
  setvbuf(stream, buffer, buffer != nullptr ? _IOFBF : _IONBF, BUFSIZ);
}

int fflush(FILE* stream) {
  static auto* const real = libcs<int(FILE*)>("fflush");
  const bool all = stream == nullptr;
  if (all || stream == stdout) mana::job::with_program([=](const auto& program) { program.flush(all ? 1 : 0); });
  return real(stream);
}
}
#pragma GCC visibility pop
