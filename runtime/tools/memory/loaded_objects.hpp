// The program of an image and what its dynamic linker has loaded, with the addresses that they take.
#pragma once
#include <runtime/tools/memory/saved_memory.hpp>

#include <string>
#include <vector>

namespace mana::tools {

struct loaded_object {
  std::string path;
  std::uintptr_t bias = 0;               // address in memory minus address in the file
  std::uintptr_t headers = 0, end = 0;   // of its memory, with what it has beyond its file; the ELF header comes first
  bool is_program = false;
};

/// The program first. Empty if the memory does not show them.
std::vector<loaded_object> loaded_objects(const saved_memory& memory);

}  // namespace mana::tools
