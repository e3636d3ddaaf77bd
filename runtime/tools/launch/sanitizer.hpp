// Finds programs that were built with a sanitizer: its runtime claims addresses, signals and the thread pointer.
#pragma once
#include <runtime/tools/mpi/library_closure.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace mana::tools {

/// out: "AddressSanitizer", …, from the program's libraries, or from its symbols if the runtime is linked in; "" if
///      none
std::string find_sanitizer(const std::filesystem::path& program, const std::vector<loaded_library>& closure);

}  // namespace mana::tools
