// Programs that were built with a sanitizer: its runtime lays claim to addresses, signals and the thread pointer.
#pragma once
#include <runtime/tools/mpi/library_closure.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace mana::tools {

/// "AddressSanitizer", …, by the program's libraries, or by its symbols where the runtime is linked in; "" if none.
std::string find_sanitizer(const std::filesystem::path& program, const std::vector<loaded_library>& closure);

}  // namespace mana::tools
