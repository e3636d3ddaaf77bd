// A directory of checkpoints: one directory per generation, with an image per rank and a manifest that is written last.
// INV-20 a generation without a manifest does not exist.
#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace mana::store {

enum class error_kind { unwritable, no_checkpoint, damaged, missing_file };

class store_error : public std::runtime_error {
 public:
  store_error(error_kind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  error_kind kind() const noexcept { return kind_; }

 private:
  error_kind kind_;
};

struct generation {
  std::string path;
  std::uint64_t number = 0;
};

struct rank_file {
  std::uint32_t rank = 0;
  std::string name;
  std::uint64_t bytes = 0;          // of the file
  std::uint64_t memory_bytes = 0;   // of the program that it holds
  std::uint64_t checksum = 0;       // of its trailer: image::write_result
};

struct manifest {
  int version = 1;
  std::uint32_t ranks = 0;
  std::string mpi, mpi_version;     // "Open MPI", "4.1.4"
  std::string program, build_id;
  std::int64_t unix_time_s = 0;     // when it was committed
  std::vector<rank_file> files;     // ascending by rank
  std::vector<std::string> warnings;
};

/// Complete generations that are kept.
inline constexpr std::size_t kept_generations = 2;

std::string rank_file_name(std::uint32_t rank);

/// Makes the directory of the next generation, and DIR itself where it is missing, both 0700.
/// errors: store_error (unwritable)
generation begin_generation(const std::string& directory);
/// Makes the generation exist: all files are durable before the manifest, and the manifest when this returns. Then
/// removes what is older than the last kept_generations complete ones.
/// errors: store_error (unwritable, missing_file); the generation does not exist then
void commit(const generation& made, const manifest& contents);
/// Removes a generation that was not committed. Never throws: what cannot be removed stays, without a manifest.
void abandon(const generation& made) noexcept;

/// All generations in DIR, ascending, complete or not. DIR may also be a complete generation itself.
std::vector<generation> list(const std::string& directory);
bool is_complete(const generation& g);
/// errors: store_error (no_checkpoint) naming DIR and what is there instead
generation newest_complete(const std::string& directory);

/// path: of a generation's directory      errors: store_error (no_checkpoint, damaged)
manifest read_manifest(const std::string& path);

enum class depth { identity, all_bytes };
/// Compares a rank's image with what the manifest says of it. identity: its size, header, tables and trailer, whatever
/// the size of its memory; all_bytes: its memory too.
/// errors: store_error (missing_file, damaged)
void check_file(const generation& g, const manifest& contents, const rank_file& f, depth how);
/// All bytes of all ranks' images.
/// errors: store_error (no_checkpoint, missing_file, damaged) of the first that is wrong
void verify(const generation& g);

}  // namespace mana::store
