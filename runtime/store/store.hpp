// A directory of checkpoints: one directory per generation, with an image per rank and a manifest that is written last.
// INV-20 a generation without a manifest does not exist.
// Why it is done this way: docs/design/store.md.
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
  unreadable,       // the system refused: that says nothing of the checkpoint
  not_own,          // links, files of others, or what others can replace
  other_version,    // of mana wrote it
  program_file,     // that images refer to is not there, or not as it was; the checkpoint itself is sound as far as was looked
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
  std::shared_ptr<directory_lock> writing = {};      // as long as somebody has it, nobody removes what is not complete yet
};

struct rank_file {
  std::uint32_t rank = 0;
  std::string name;
  std::uint64_t bytes = 0;          // of the file
  std::uint64_t memory_bytes = 0;   // of the program that it holds
  std::uint64_t checksum = 0;       // of its trailer: image::write_result
  std::uint64_t kept_bytes = 0;     // of the memory: that is in files of other generations
  double write_s = 0;               // until it was durable
  std::uint64_t writer_bytes = 0;   // of memory that its writer took for itself; 0: not known
};

/// A copy of a file of the program's, that ranks' images refer to.
struct file_copy {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;       // XXH3-64 over them
};

/// What a checkpoint took, in seconds. Of what ranks do, that of the slowest.
struct phases {
  double agree = 0;                 // from the request until ranks knew where to stop
  double park = 0;                  // until all their threads stood
  double drain = 0;                 // until their messages were in
  double write = 0;                 // until their images were durable
  double sync = 0;                  // of it: after the last byte was given away
  double commit = 0;                // until the manifest was ready to be written
  double pause = 0;                 // that the program stood still, but for the commit
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
  std::vector<file_copy> copies;    // that ranks share; none: there are none, or it is of a mana that did not say
  std::vector<std::string> warnings;
};

std::string rank_file_name(std::uint32_t rank);

/// Makes the directory of the next generation, and DIR itself where it is missing, both 0700.
/// in:     at_least  its number is not smaller: there are images of earlier ones elsewhere
/// errors: store_error (unwritable, not_own)
generation begin_generation(const std::string& directory, std::uint64_t at_least = 1);
/// Makes the generation exist: all files are durable before the manifest, and the manifest when this returns. Version,
/// number and the time of the commit are put into the manifest here.
/// errors: store_error (unwritable, missing_file, not_own); the generation does not exist then
void commit(const generation& made, manifest contents);
/// Removes what is superfluous beside a generation that was committed. It may take as long as writing, where a file system tells
/// its disk of each block that it frees. Never throws: what cannot be removed now goes with the next one.
void tidy(const generation& made, std::size_t keep) noexcept;
/// Whether the number of a generation that was given up may be given again.
enum class number_after { free, taken };
/// Removes a generation that was not committed. Never throws: what cannot be removed stays, without a manifest.
/// in: number  taken: nodes may have images of it. The empty directory stays until something newer is complete.
void abandon(const generation& made, number_after number = number_after::free) noexcept;

/// All generations in DIR, ascending, complete or not. DIR may also be a complete generation itself.
/// errors: store_error (unreadable, not_own)
std::vector<generation> list(const std::string& directory);
/// Also true if that cannot be known.
bool is_complete(const generation& g);
/// errors: store_error (no_checkpoint) naming DIR and what is there instead; (unreadable, not_own)
generation newest_complete(const std::string& directory);

/// path: of a generation's directory
/// errors: store_error (no_checkpoint, damaged, unreadable, not_own, other_version)
manifest read_manifest(const std::string& path);

enum class depth { identity, all_bytes };
/// Compares a rank's image with what the manifest says of it. identity: its size, header, tables and trailer, and who the
/// files are that it refers to and their sizes, whatever the size of its memory; all_bytes: its memory too.
/// errors: store_error (missing_file, damaged, unreadable, not_own, other_version)
void check_file(const generation& g, const manifest& contents, const rank_file& f, depth how);
/// The same, of a copy.      errors: as check_file()
void check_copy(const generation& g, const file_copy& f, depth how);
/// Of the files in a generation that its ranks share: see image::program_files.     errors: store_error (unreadable, not_own)
std::uint64_t shared_bytes(const generation& g);
/// All bytes of all ranks' images, and of the copies that they share.
/// errors: store_error as read_manifest() and check_file(), of the first that is wrong
void verify(const generation& g);

/// INV-35 a generation whose restart failed is marked, and not restarted again, unless it is named itself.
/// Never throws: where it cannot be marked, the next restart comes to the same end.
void mark_failed(const generation& g, const std::string& why) noexcept;
/// Why it was marked.     errors: store_error (unreadable, not_own)
std::optional<std::string> failure_of(const generation& g);

struct prune_result {
  std::vector<std::uint64_t> removed;      // or that would be, ascending
  std::uint64_t bytes = 0;                 // of their files
  std::vector<std::string> problems;       // what kept more from being removed
};
/// Removes what is superfluous, where something newer is durable.
/// errors: store_error (no_checkpoint, unreadable, not_own)
prune_result prune(const std::string& directory, std::size_t keep, bool dry_run = false, const work_listener& progress = {});

}  // namespace mana::store
