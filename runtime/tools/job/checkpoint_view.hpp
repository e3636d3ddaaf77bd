// What `mana list` and `mana verify` show of a checkpoint directory, and how: for people and for programs.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mana::tools {

/// One rank's image. `problem` is empty if nothing is wrong with it, as far as was looked; `lacks` if the files of the program's
/// are there that it refers to.
struct image_view {
  std::uint32_t rank = 0;
  std::string path;
  std::uint64_t file_bytes = 0;      // as stored
  std::uint64_t memory_bytes = 0;    // of the upper half that it holds
  std::string problem;
  std::string lacks = {};
  double write_s = 0;                // until it was durable; 0: not known
  std::uint64_t writer_bytes = 0;    // of memory that its writer took for itself, at most; 0: not known
};

/// A copy of a file of the program's, that ranks share.
struct copy_view {
  std::string path;
  std::uint64_t bytes = 0, checksum = 0;      // as the manifest has them
  std::string problem;               // empty: nothing, as far as was looked
};

/// One checkpoint: a generation.
struct checkpoint_view {
  std::string directory;
  std::uint64_t generation = 0;
  bool complete = false;             // it has a manifest; or that cannot be known: then it is unreadable
  bool being_written = false;        // it has none yet, as far as can be told
  bool unreadable = false;           // the system refused; `problem` has its words
  std::int64_t unix_time_s = 0;      // when it was committed
  std::string mpi, mpi_version;      // "Open MPI", "4.1.4"
  std::string program;
  std::uint32_t ranks = 0;
  std::vector<std::pair<std::string, double>> phases_s;      // what it took, in the manifest's words
  std::string mode;                  // how it was written, in words; empty: not known
  std::vector<std::uint64_t> builds_on;   // generations
  std::optional<std::string> failure;     // why a restart from it failed; none did
  std::vector<image_view> images;    // ascending by rank
  std::vector<copy_view> copies;     // ascending by name; none of those that the manifest does not name
  std::uint64_t shared_bytes = 0;    // of all files that ranks share
  std::vector<std::string> warnings; // what a restart will not have, in words
  std::string problem;               // of the checkpoint as a whole
};

/// Raised when a member of the JSON changes its meaning or goes away.
inline constexpr int checkpoint_schema = 1;

/// A line per checkpoint, newest last, and below it what is wrong. details: a line per rank too.
std::string as_text(const std::vector<checkpoint_view>& checkpoints, bool details);
std::string as_json(const std::vector<checkpoint_view>& checkpoints);

/// True if a checkpoint is complete and no problem was found in it.
bool is_sound(const checkpoint_view& checkpoint);
/// True if files of the program's are not there that it needs.
bool lacks_files(const checkpoint_view& checkpoint);

}  // namespace mana::tools
