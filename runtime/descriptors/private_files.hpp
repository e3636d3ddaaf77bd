// Files that the program has mapped privately, and may write to otherwise. On Linux what is written to the file shows in the pages
// that the program has not changed; after a restart such a mapping is the program's own memory, and shows nothing.
#pragma once
#include "proc_info.hpp"
#include "report.hpp"
#include "table.hpp"

#include <span>
#include <string>

namespace mana::descriptors {

struct private_mapping {
  file_key file;
  std::string path;            // as /proc/self/maps has it
};

/// Of those for which the program has a descriptor to write by: once for each file. Whether other programs write to a file nobody
/// can see.
void warn_of_private_files(std::span<const private_mapping> mappings, std::span<const owned_descriptor> open, report& said);

}  // namespace mana::descriptors
