// Ends a process that calls MPI without a lower half, for example a program that another program's shell started. Such
// a process must not become a rank unnoticed.
#pragma once
#include <mana/arch/arch.hpp>

#include <unistd.h>

namespace mana::call {

/// Usable under any thread pointer: a crossing that finds no lower half may call it.
[[noreturn]] inline void end_without_lower_half() noexcept {
  constexpr char text[] =
      "mana: error: the program calls MPI without mana: only mana's wrapper library is preloaded\n"
      "      keep the environment of `mana run` for the program, or write `mana run` before it\n";
  constexpr long not_mpi = 70;
  arch::raw_call(SYS_write, STDERR_FILENO, reinterpret_cast<long>(text), sizeof text - 1);
  for (;;) arch::raw_call(SYS_exit_group, not_mpi);
}

}  // namespace mana::call
