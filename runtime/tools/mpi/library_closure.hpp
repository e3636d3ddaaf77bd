// The libraries that the dynamic loader would load with a program, by the rules of ld.so(8).
#pragma once
#include <runtime/tools/mpi/elf_program.hpp>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mana::tools {

/// Files of ld.so.cache by library name (x86-64 only, first entry of a name wins).
using library_cache = std::map<std::string, std::string, std::less<>>;

/// Entries of a cache file's bytes (format "glibc-ld.so.cache1.1"); empty if they are of another format or damaged.
library_cache parse_library_cache(std::string_view bytes);

/// Entries of /etc/ld.so.cache; empty if there is none.
library_cache read_library_cache();

/// A library of the closure. `file` is empty if it was not found.
struct loaded_library {
  std::string name;
  std::filesystem::path file;
};

/// The DT_NEEDED closure of `program`, breadth first, without the program itself.
/// in: library_path  the program's LD_LIBRARY_PATH, "" if unset
///      replaced  names of libraries whose own dependencies do not count
std::vector<loaded_library> library_closure(const elf_program& program, const library_cache& cache,
                                            const std::string& library_path,
                                            const std::set<std::string>& replaced = {});

}  // namespace mana::tools
