// Identifies each region of a saved program.
#pragma once
#include <runtime/tools/memory/saved_memory.hpp>

#include <mana/lower/abi.hpp>

#include <string>
#include <vector>

namespace mana::tools {

enum class memory_kind { program, library, heap, stack, anonymous, shared_memory, shared_file, private_file, of_mana, nameless_file };

/// For people and in JSON: "program", "shared memory", …
const char* name_of(memory_kind kind) noexcept;

struct region_identity {
  memory_kind kind = memory_kind::anonymous;
  std::string name;                  // path of the file, or name of the stack; may be empty
};

/// The contents of a thread's block.
struct saved_thread {
  std::uint32_t index = 0;           // of its block
  std::int32_t tid = 0;              // in the saved process
  bool is_main = false;              // it called MPI_Init
  std::uint32_t function = 0;        // function_id of the wrapper that it is in; 0: none
  std::uint64_t upper_fs = 0;        // its thread pointer
  lower::context registers{};        // at the point where it continues
};

/// out: the threads, first the one that called MPI_Init; empty if the memory shows none
std::vector<saved_thread> threads_of(const saved_memory& memory);

/// out: the identity of each of memory.about().regions. If memory is damaged, only paths identify regions.
std::vector<region_identity> identify(const saved_memory& memory, const std::vector<saved_thread>& threads);

}  // namespace mana::tools
