// The objects that the upper half of a process has loaded: its program, dynamic linker and libraries.
#pragma once
#include <runtime/symbols/memory_view.hpp>

#include <vector>

namespace mana::symbols {

struct upper_object {
  std::string path;        // of its file
  std::uintptr_t bias;     // address in memory minus address in the file
};

/// In the order of the dynamic linker's list. Before the linker runs, only the program.
/// errors: memory_error if the memory has no upper half, or one of another version of mana
std::vector<upper_object> upper_objects(const memory_view& memory);

/// False: the file is missing, or differs from the loaded one.
bool is_as_loaded(const memory_view& memory, const upper_object& object);

}  // namespace mana::symbols
