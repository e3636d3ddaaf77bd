// The images of the ranks of one node, on its own disk or in its memory: DIR/gen-NNNNNN/rank-RRRRR.mana, and beside
// each a sidecar, which is written when the image is durable. Why it is done this way: docs/design/local.md.
#pragma once
#include <runtime/files/output_file.hpp>
#include <runtime/files/write_meter.hpp>
#include <runtime/store/nodes/local_sidecar.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mana::store {

/// Name of this node: the environment variable MANA_NODE, or that of the host.     errors: store_error (unreadable)
std::string node_name();
/// in:     directory  as the user gave it, absolute; "%n" stands for the node's name, "%%" for "%"
/// errors: store_error (unwritable) for a path from where the process is, for any other "%", and for a node's name that is no
///         name of a file
std::string local_directory(const std::string& directory, const std::string& node);

std::string local_image_path(const std::string& directory, std::uint64_t generation, std::uint32_t rank);

/// Makes DIR where it is missing.     errors: store_error (unwritable, not_own)
void prepare_local(const std::string& directory);
/// Makes DIR and the directory of the generation, where another rank of the node has not.
/// out:    path of the rank's image, which is made with O_EXCL by who writes it
/// errors: store_error (unwritable, not_own), also if there is one of this number
std::string begin_local(const std::string& directory, std::uint64_t generation, std::uint32_t rank);

/// The image's bytes are durable already. When this returns it is there after a crash of the node, if DIR is on a disk.
/// errors: store_error (unwritable, missing_file, not_own)
void finish_local(const std::string& directory, const local_image& about);

struct found_images {
  std::vector<local_image> sound;        // as their sidecars say; ascending by generation and rank
  std::vector<local_image> failed;       // the same, of those that a restart found damaged
  std::vector<std::string> problems;     // of others, which name the file
};
/// Never throws for what is wrong with one file. DIR that is not there holds nothing.
/// in:     rank  of whom; nothing: of all
/// errors: store_error (unreadable, not_own)
found_images find_local(const std::string& directory, std::optional<std::uint32_t> rank = {});

/// Ranks and generations of all images in DIR, whole or not.     errors: as find_local()
std::vector<std::pair<std::uint64_t, std::uint32_t>> local_files(const std::string& directory);

/// A rank's own files of a generation, whole or not, and the directory if they were the last in it.
/// out: false if something of them is left
bool remove_local(const std::string& directory, std::uint64_t generation, std::uint32_t rank) noexcept;

/// For reading.     errors: store_error (missing_file, damaged, unreadable, not_own)
files::descriptor open_local(const std::string& directory, const local_image& about);

/// Copies an image to the directory of checkpoints, past the page cache where that is possible. It is durable when
/// this returns, but for its name; if it fails, nothing of it is left.
/// in:     to          path of the new file      most_per_s  bytes; 0: no limit      meter  nullptr: nobody asks
/// errors: store_error (missing_file, damaged, unreadable, unwritable, not_own)
void copy_to_global(const std::string& directory, const local_image& about, const std::string& to,
                    std::uint64_t most_per_s, files::write_meter* meter = nullptr);

}  // namespace mana::store
