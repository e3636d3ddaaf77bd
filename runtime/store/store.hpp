// A directory of checkpoints: one directory per generation, with an image per rank and a manifest that is written last.
// INV-20 a generation without a manifest does not exist.
// docs/design/store.md gives the reasons.
#pragma once
#include <runtime/store/retention.hpp>
#include <runtime/store/work_listener.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace mana::store {

enum class error_kind {
  unwritable,
  no_checkpoint,
  damaged,
  missing_file,
  unreadable,       // the system refused, which says nothing about the checkpoint
  not_own,          // links, files of other users, or files that they can replace
  other_version,    // another version of mana wrote it
  program_file,     // a file that images refer to is missing or changed; the checkpoint itself seems intact
};

class store_error : public std::runtime_error {
 public:
  store_error(error_kind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  error_kind kind() const noexcept { return kind_; }

 private:
  error_kind kind_;
};

class directory_lock;

struct generation {
  std::string path;
  std::uint64_t number = 0;
  std::shared_ptr<directory_lock> writing = {};      // keeps others from removing the incomplete generation
};

struct rank_file {
  std::uint32_t rank = 0;
  std::string name;
  std::uint64_t bytes = 0;          // of the file
  std::uint64_t memory_bytes = 0;   // of the program in the image
  std::uint64_t checksum = 0;       // of the image's trailer: image::write_result
  std::uint64_t kept_bytes = 0;     // of the memory, the part in files of other generations
  double write_s = 0;               // until the image was durable
  std::uint64_t writer_bytes = 0;   // memory that its writer took for itself; 0: unknown
};

/// A copy of a file of the program. Ranks' images refer to it.
struct file_copy {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;       // XXH3-64 over them
};

/// The duration of a checkpoint's steps, in seconds. For steps of the ranks, that of the slowest rank.
struct phases {
  double agree = 0;                 // from the request until ranks knew where to stop
  double park = 0;                  // until all their threads stood
  double drain = 0;                 // until their messages were in
  double write = 0;                 // until their images were durable
  double sync = 0;                  // part of `write`: after the last byte was handed over
  double commit = 0;                // until the manifest was ready to be written
  double pause = 0;                 // the program's stop, except for the commit
  double total = 0;                 // from the request on
};

struct phase_row {
  const char* name;
  double phases::*seconds;
};
inline constexpr phase_row phase_table[] = {{"agree", &phases::agree},   {"park", &phases::park}, {"drain", &phases::drain},
                                            {"write", &phases::write},   {"sync", &phases::sync}, {"commit", &phases::commit},
                                            {"pause", &phases::pause},   {"total", &phases::total}};

struct manifest {
  int version = 2;
  std::uint64_t generation = 0;     // 0: version 1 does not say
  std::string mana;                 // version that wrote it
  std::uint32_t ranks = 0;
  std::string mpi, mpi_version;     // "Open MPI", "4.1.4"
  std::string program, build_id;
  std::int64_t unix_time_s = 0;     // when it was committed
  std::string mode;                 // how the images were written, in words
  std::vector<std::uint64_t> builds_on;   // generations that the images refer to, ascending
  phases phases_s;
  std::vector<rank_file> files;     // ascending by rank
  std::vector<file_copy> copies;    // that ranks share; none: there are none, or an older mana did not list them
  std::vector<std::string> warnings;
};

std::string rank_file_name(std::uint32_t rank);

/// Makes the directory of the next generation, and DIR if it is missing, with mode 0700.
/// in:     at_least  lowest number: there are images of earlier generations elsewhere
/// errors: store_error (unwritable, not_own)
generation begin_generation(const std::string& directory, std::uint64_t at_least = 1);
/// Makes the generation exist: all files are durable before the manifest, and the manifest on return. Sets version,
/// number and time in the manifest.
/// errors: store_error (unwritable, missing_file, not_own); the generation does not exist then
void commit(const generation& made, manifest contents);
/// Removes the superfluous generations after a commit. May take as long as a write, if the file system reports each
/// freed block to its disk. Never throws: what cannot be removed now is removed by a later call.
void tidy(const generation& made, std::size_t keep) noexcept;
/// Whether a later generation may take the number of one that was given up.
enum class number_after { free, taken };
/// Removes a generation that was not committed. Never throws: files that cannot be removed stay, without a manifest.
/// in: number  taken: nodes may have images of it, and the empty directory stays until a newer generation is complete
void abandon(const generation& made, number_after number = number_after::free) noexcept;

/// All generations in DIR, ascending, complete or not. DIR may also be one complete generation.
/// errors: store_error (unreadable, not_own)
std::vector<generation> list(const std::string& directory);
/// True if unknown.
bool is_complete(const generation& g);
/// errors: store_error (no_checkpoint) with DIR and its contents; (unreadable, not_own)
generation newest_complete(const std::string& directory);

/// in:     path  of a generation's directory
/// errors: store_error (no_checkpoint, damaged, unreadable, not_own, other_version)
manifest read_manifest(const std::string& path);

enum class depth { identity, all_bytes };
/// Compares a rank's image with the manifest.
/// in:     how  identity   size, header, tables and trailer, and the identity and sizes of the files that the image
///                         refers to. The cost does not grow with the image's memory
///              all_bytes  its memory, too
/// errors: store_error (missing_file, damaged, unreadable, not_own, other_version)
void check_file(const generation& g, const manifest& contents, const rank_file& f, depth how);
/// The same for a copy.      errors: as check_file()
void check_copy(const generation& g, const file_copy& f, depth how);
/// Number of bytes of the files in a generation that its ranks share: see image::program_files.
/// errors: store_error (unreadable, not_own)
std::uint64_t shared_bytes(const generation& g);
/// Checks all bytes of the ranks' images, and of the copies that they share.
/// errors: store_error as read_manifest() and check_file(), for the first fault
void verify(const generation& g);

/// INV-35 a generation whose restart failed is marked, and not restarted again, unless the user names it. Never throws.
/// If the mark cannot be written, the next restart fails in the same way.
void mark_failed(const generation& g, const std::string& why) noexcept;
/// The reason in the mark.     errors: store_error (unreadable, not_own)
std::optional<std::string> failure_of(const generation& g);

struct prune_result {
  std::vector<std::uint64_t> removed;      // ascending; in a dry run, those that would be removed
  std::uint64_t bytes = 0;                 // of their files
  std::vector<std::string> problems;       // why more could not be removed
};
/// Removes superfluous generations, if newer ones are durable.
/// errors: store_error (no_checkpoint, unreadable, not_own)
prune_result prune(const std::string& directory, std::size_t keep, bool dry_run = false, const work_listener& progress = {});

}  // namespace mana::store
