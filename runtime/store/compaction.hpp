// Makes the newest checkpoint whole, so that those that it builds on are not needed any more.
#pragma once
#include <runtime/image/format/packing.hpp>
#include <runtime/store/store.hpp>

#include <runtime/files/path_map.hpp>

namespace mana::store {

struct compact_how {
  image::packing packing = {};
  unsigned pack_threads = 1;                   // 1 … pack_crew::most_threads
};

struct compact_result {
  std::uint64_t from = 0, to = 0;              // generations; to: 0 if there was nothing to do
  std::vector<std::uint64_t> builds_on;        // that `from` refers to
  bool by_reference = false;                   // it refers to files of the program's too
  std::uint64_t bytes_before = 0, bytes_after = 0;      // of the images' own files
};

/// INV-38 what is compacted is the newest: its copy is a new generation, with a number above all that were there, and is given
/// up if somebody was writing, or has committed, one between the two.
/// The copy gives the same memory; its manifest has the time and the cost of the original. It needs neither another generation
/// nor a file of the program's; what ranks share in the original, each has in its own image.
/// in:     directory  of checkpoints, not a generation
///         progress   of each rank's memory
///         moved      where files of the program's are that had another path at the checkpoint
/// errors: store_error as verify(); (program_file); (no_checkpoint) there is none, or a newer one is being written; (unwritable). What is there
///         stays as it was
compact_result compact(const std::string& directory, const compact_how& how = {}, const work_listener& progress = {},
                       const files::path_map& moved = {});

}  // namespace mana::store
