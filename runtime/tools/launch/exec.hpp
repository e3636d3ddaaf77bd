// Becoming another program.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace mana::tools {

/// execv. argv[0] is the file's name. errors: failure (parts_missing) if the kernel refuses
[[noreturn]] void become(const std::filesystem::path& file, const std::vector<std::string>& arguments);

/// Programs that this process becomes get their mappings where the kernel puts them by default: with the older layout
/// (setarch --addr-compat-layout) those of the lower half would lie among the program's.
void use_default_layout() noexcept;

/// The first executable file of this name in PATH; empty: there is none.
std::filesystem::path find_command(const std::string& name, const environment& get);

/// A duration as an argument of the lower half: seconds with as many digits as needed.
std::string seconds(double value);

}  // namespace mana::tools
