// Tools between a program and its MPI library: libraries that define MPI functions and call the PMPI_ functions.
#pragma once
#include <runtime/tools/mpi/library_closure.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace mana::tools {

/// True if the library at `path` defines functions named MPI_… and none named PMPI_…: it stands above an MPI library.
/// False for unreadable files, and for files that are no ELF library for this machine.
bool is_tool_layer(const std::filesystem::path& path);

/// out: the files of the program's tools, in the dynamic loader's search order
/// in: preload  the user's LD_PRELOAD, "" if unset
std::vector<std::filesystem::path> find_tool_layers(const std::string& preload,
                                                    const std::vector<loaded_library>& closure);

}  // namespace mana::tools
