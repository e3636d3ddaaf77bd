// The images of the ranks of one node, on its own disk or in its memory: DIR/gen-NNNNNN/rank-RRRRR.mana. Each image has
// a sidecar, which is written when the image is durable. docs/design/local.md gives the reasons.
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

/// Name of this node: the environment variable MANA_NODE, or the host's name.     errors: store_error (unreadable)
std::string node_name();
/// in:     directory  from the user, absolute; "%n" stands for the node's name, "%%" for "%"
/// errors: store_error (unwritable): a relative path, any other "%", or a node's name that cannot be a file's name
std::string local_directory(const std::string& directory, const std::string& node);

std::string local_image_path(const std::string& directory, std::uint64_t generation, std::uint32_t rank);

/// Makes DIR if it is missing.     errors: store_error (unwritable, not_own)
void prepare_local(const std::string& directory);
/// Makes DIR and the generation's directory, unless another rank of the node has made them.
/// out:    path of the rank's image, which its writer makes with O_EXCL
/// errors: store_error (unwritable, not_own), also if the rank has an image of this number
std::string begin_local(const std::string& directory, std::uint64_t generation, std::uint32_t rank);

/// The image's bytes are already durable. On return the image survives a crash of the node, if DIR is on a disk.
/// errors: store_error (unwritable, missing_file, not_own)
void finish_local(const std::string& directory, const local_image& about);

struct found_images {
  std::vector<local_image> sound;        // according to their sidecars; ascending by generation and rank
  std::vector<local_image> failed;       // the same, for images that a restart found damaged
  std::vector<std::string> problems;     // of other images, with the file's name
};
/// Never throws because of one bad file. A missing DIR counts as empty.
/// in:     rank  whose images; nothing: all
/// errors: store_error (unreadable, not_own)
found_images find_local(const std::string& directory, std::optional<std::uint32_t> rank = {});

/// Ranks and generations of all images in DIR, intact or not.     errors: as find_local()
std::vector<std::pair<std::uint64_t, std::uint32_t>> local_files(const std::string& directory);

/// Removes a rank's own files of a generation, intact or not, and the directory if it is then empty.
/// out: false if some of the files are left
bool remove_local(const std::string& directory, std::uint64_t generation, std::uint32_t rank) noexcept;

/// Opens for reading.     errors: store_error (missing_file, damaged, unreadable, not_own)
files::descriptor open_local(const std::string& directory, const local_image& about);

/// Copies an image to the directory of checkpoints, past the page cache if possible. On return the copy is durable,
/// except its name. If it fails, nothing of the copy is left.
/// in:     to          path of the new file      most_per_s  bytes per second; 0: no limit      meter  nullptr: nobody
///         asks
/// errors: store_error (missing_file, damaged, unreadable, unwritable, not_own)
void copy_to_global(const std::string& directory, const local_image& about, const std::string& to,
                    std::uint64_t most_per_s, files::write_meter* meter = nullptr);

}  // namespace mana::store
