// The contents of a checkpoint directory as `mana list` and `mana verify` show them, for people and for programs.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mana::tools {

/// One rank's image. `problem` is empty if no check found one. `lacks` is empty if all files of the program exist to
/// which the image refers.
struct image_view {
  std::uint32_t rank = 0;
  std::string path;
  std::uint64_t file_bytes = 0;      // as stored
  std::uint64_t memory_bytes = 0;    // memory of the upper half that the image holds
  std::string problem;
  std::string lacks = {};
  double write_s = 0;                // until the image was durable; 0: not known
  std::uint64_t writer_bytes = 0;    // the most memory that its writer used for itself; 0: not known
};

/// A copy of a file of the program. Ranks share it.
struct copy_view {
  std::string path;
  std::uint64_t bytes = 0, checksum = 0;      // in the manifest
  std::string problem;               // empty: no check found one
};

/// One checkpoint: a generation.
struct checkpoint_view {
  std::string directory;
  std::uint64_t generation = 0;
  // true if it has a manifest. If that cannot be known: unreadable is true, and complete is too
  bool complete = false;
  bool being_written = false;        // it has no manifest yet, as far as is known
  bool unreadable = false;           // the system refused access; `problem` has the system's reason
  std::int64_t unix_time_s = 0;      // time of the commit
  std::string mpi, mpi_version;      // "Open MPI", "4.1.4"
  std::string program;
  std::uint32_t ranks = 0;
  // times of the checkpoint's phases, with the manifest's names
  std::vector<std::pair<std::string, double>> phases_s;
  std::string mode;                  // how it was written, in words; empty: not known
  std::vector<std::uint64_t> builds_on;   // generations
  std::optional<std::string> failure;     // why a restart from it failed; nothing: none failed
  std::vector<image_view> images;    // ascending by rank
  std::vector<copy_view> copies;     // ascending by name; only copies that the manifest names
  std::uint64_t shared_bytes = 0;    // of all files that ranks share
  std::vector<std::string> warnings; // what a restart will not have, in words
  std::string problem;               // of the checkpoint as a whole
};

/// Raised when a member of the JSON changes its meaning or is removed.
inline constexpr int checkpoint_schema = 1;

/// One line per checkpoint, newest last, with its problems below. details: also a line per rank.
std::string as_text(const std::vector<checkpoint_view>& checkpoints, bool details);
std::string as_json(const std::vector<checkpoint_view>& checkpoints);

/// True if the checkpoint is complete and no check found a problem.
bool is_sound(const checkpoint_view& checkpoint);
/// True if files of the program are missing that the checkpoint needs.
bool lacks_files(const checkpoint_view& checkpoint);

}  // namespace mana::tools
