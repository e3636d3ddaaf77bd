// Replaces this process by another program.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mana::tools {

/// execv with the file's name as argv[0]. errors: failure (parts_missing) if the kernel refuses
[[noreturn]] void become(const std::filesystem::path& file, const std::vector<std::string>& arguments);

/// INV-133: holds signals that ask for a checkpoint. They wait for the lower half, which takes them once it can. A signal that came
/// before would end the rank: the start of a live MPI's libraries takes a while.
/// in: signals  bit n-1 is signal n
void hold_requests(std::uint64_t signals) noexcept;

/// Prints a warning; nothing if it is empty.
void warn(const std::string& text);

/// The next programs of this process get the default layout of mappings. With the older layout (setarch
/// --addr-compat-layout), the lower half's mappings would lie among the program's.
void use_default_layout() noexcept;

/// out: the first executable file of this name in PATH; empty if there is none
std::filesystem::path find_command(const std::string& name, const environment& get);

/// A duration for the lower half: seconds, with as many digits as needed.
std::string seconds(double value);

}  // namespace mana::tools
