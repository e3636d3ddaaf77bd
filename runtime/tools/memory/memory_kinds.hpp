// What each region of a saved program is.
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
  std::string name;                  // path of the file, or which stack; may be empty
};

/// A thread as its block says it.
struct saved_thread {
  std::uint32_t index = 0;           // of its block
  std::int32_t tid = 0;              // in the process that was saved
  bool is_main = false;              // it called MPI_Init
  std::uint32_t function = 0;        // function_id of the wrapper that it is in; 0: none
  std::uint64_t upper_fs = 0;        // its thread pointer
  lower::context registers{};        // with which it goes on
};

/// The thread that called MPI_Init first. Empty if the memory does not show any.
std::vector<saved_thread> threads_of(const saved_memory& memory);

/// For each of memory.about().regions. What the image does not show (its memory is damaged) is told by paths alone.
std::vector<region_identity> identify(const saved_memory& memory, const std::vector<saved_thread>& threads);

}  // namespace mana::tools
