// Tools that stand between a program and its MPI library: libraries that define MPI functions and call those named
// PMPI_.
#pragma once
#include <runtime/tools/mpi/library_closure.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace mana::tools {

/// Whether the library at `path` defines functions named MPI_… and none named PMPI_…: it stands above an MPI
/// library. False for what cannot be read, or is no ELF library for this machine.
bool is_tool_layer(const std::filesystem::path& path);

/// Files of the tools of a program, in the order in which the dynamic loader looks into them.
/// in: preload  the user's LD_PRELOAD, "" if unset
std::vector<std::filesystem::path> find_tool_layers(const std::string& preload,
                                                    const std::vector<loaded_library>& closure);

}  // namespace mana::tools
