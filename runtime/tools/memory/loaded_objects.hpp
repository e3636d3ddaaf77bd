// The program in an image and the objects that its dynamic linker loaded, with their addresses.
#pragma once
#include <runtime/tools/memory/saved_memory.hpp>

#include <string>
#include <vector>

namespace mana::tools {

struct loaded_object {
  std::string path;
  std::uintptr_t bias = 0;               // address in memory minus address in the file
  std::uintptr_t headers = 0, end = 0;   // of its memory, with the part beyond its file; the ELF header comes first
  bool is_program = false;
};

/// out: the objects, the program first; empty if the memory does not show them
std::vector<loaded_object> loaded_objects(const saved_memory& memory);

}  // namespace mana::tools
