// Makes the newest checkpoint whole, so that the checkpoints that it builds on are no longer needed.
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
  std::vector<std::uint64_t> builds_on;        // generations that `from` refers to
  bool by_reference = false;                   // `from` refers to files of the program, too
  std::uint64_t bytes_before = 0, bytes_after = 0;      // of the images' own files
};

/// INV-38 compaction copies only the newest checkpoint, and gives the copy up if another one was written meanwhile. The
/// copy is a new generation, with a number above all that existed at the start. Another one counts if its generation is
/// between the two, and somebody was writing it or has committed it.
///
/// The copy gives the same memory; its manifest has the time and the cost of the original. It refers to no other
/// generation and to no file of the program. Files that ranks share in the original become part of each rank's image.
/// in:     directory  of checkpoints, not a generation
///         progress   of each rank's memory
///         moved      new paths of files of the program that were elsewhere at the checkpoint
/// errors: store_error as verify(); (program_file); (no_checkpoint) none exists, or a newer one is being written;
///         (unwritable). The existing checkpoints stay unchanged
compact_result compact(const std::string& directory, const compact_how& how = {}, const work_listener& progress = {},
                       const files::path_map& moved = {});

}  // namespace mana::store
