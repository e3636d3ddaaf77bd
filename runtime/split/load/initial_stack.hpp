// The initial thread's stack as the kernel gives it to a new program: argc, argv, environment, auxiliary vector.
#pragma once
#include <runtime/split/window/saved_state.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mana::split {

struct stack_contents {
  std::vector<std::string> args, env;
  std::string preload;                     // replaces the environment's LD_PRELOAD; empty: keeps it
  program_places places;                   // of code and data
  std::string program;                     // AT_EXECFN
  std::uintptr_t program_headers, entry;   // of the program
  std::size_t program_header_count;
  std::uintptr_t interpreter_base;
  bool executable;
};

/// Maps the stack below stack_top and fills it. Faults make it grow, as far as RLIMIT_STACK then allows.
/// out:    the stack pointer at the entry of the dynamic linker
/// errors: load_error (63)
std::uintptr_t make_initial_stack(const stack_contents& contents);

}  // namespace mana::split
