// Files that the program has mapped privately. On Linux a write to such a file shows in the pages that the program has
// not written to, and an access beyond the file's end is SIGBUS. So a restart maps the file again if it is unchanged.
// Otherwise the mapping becomes the program's own memory, with the contents of the image.
//
// INV-81 a page that the program has not written to, of a private mapping of a file that is unchanged since the
// checkpoint, shows the file after a restart. Every other page of the mapping has its contents of the checkpoint.
#pragma once
#include <runtime/descriptors/base/report.hpp>
#include <runtime/descriptors/base/table.hpp>
#include <runtime/descriptors/files/objects.hpp>

#include <nlohmann/json.hpp>

#include <runtime/image/read/rank_image.hpp>

#include <span>
#include <string>
#include <vector>

namespace mana::descriptors {

struct private_mapping {
  std::uintptr_t begin, end;
  std::uint64_t offset;       // in the file
  bool executable;
  file_key file;
  std::string path;           // as in /proc/self/maps
};

/// Describes for each mapping the file, its present state, and the pages that are the program's own. Warns of files
/// that cannot be mapped again, once for each file that the program can write through a descriptor. Nobody can see
/// whether other programs write to a file.
nlohmann::json describe_private(std::span<const private_mapping> mappings, std::span<const owned_descriptor> open, report& said);

/// The file to map again.
/// in:  rows     as describe_private() made them, with present paths; or nothing, as in earlier images
///      changed  receives a file that the program could write to, and that was written to since
image::private_file private_file_at(const nlohmann::json& rows, std::uintptr_t begin, const object_maker& objects,
                                    std::vector<std::string>& changed);

}  // namespace mana::descriptors
