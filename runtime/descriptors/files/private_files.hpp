// Files that the program has mapped privately. On Linux what is written to such a file shows in the pages that the program has not
// written to, and touching what lies beyond its end is SIGBUS. So a restart maps the file again, if it is as it was; else the
// mapping is the program's own memory from then on, with what the image has.
//
// INV-81 a page that the program has not written to, of a private mapping of a file that was not written to since the checkpoint,
// shows the file after a restart; every other page of the mapping has what it had.
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
  std::string path;           // as /proc/self/maps has it
};

/// Of each mapping: the file, how it is now, and which pages are the program's own. Warns of files that cannot be mapped again, once
/// for each that the program has a descriptor to write by. Whether other programs write to a file nobody can see.
nlohmann::json describe_private(std::span<const private_mapping> mappings, std::span<const owned_descriptor> open, report& said);

/// The file to map again.
/// in:  rows     as describe_private() made them, with paths of now; or nothing, as in earlier images
///      changed  is told of a file that the program could write to, and that was written to since
image::private_file private_file_at(const nlohmann::json& rows, std::uintptr_t begin, const object_maker& objects,
                                    std::vector<std::string>& changed);

}  // namespace mana::descriptors
