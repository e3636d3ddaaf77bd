// This rank's images on its node: a checkpoint writes them there first, and copies them to the directory of checkpoints
// while the program runs. docs/design/local.md gives the reasons.
#pragma once
#include <runtime/control/surroundings.hpp>
#include <runtime/image/save/image_saver.hpp>
#include <runtime/store/nodes/local_sidecar.hpp>

#include <cstdint>
#include <string>

namespace mana::job {

/// Finds or makes the directory on the node; some ranks may have none. Does nothing without --local. Collective; MPI
/// runs.
void begin_node_images();

/// out: on rank 0, the newest generation of which any rank's node has files; 0: none. On other ranks 0.
std::uint64_t newest_on_nodes() noexcept;

/// The directory of this rank's images.
const std::string& directory_on_node() noexcept;

/// Prepares this rank's image of the next checkpoint.
/// out:    path of the image
/// errors: store_error with the reason: the node has no directory for images
std::string begin_on_node(const control::commit_info& generation);
/// Called when the image is durable. Writes its sidecar, with all that a restart must know, and informs the
/// coordinator.
/// in:     group  whose parity is durable too
/// errors: store_error
void finish_on_node(const control::commit_info& generation, const image::saved_image& saved,
                    const std::vector<std::string>& warnings, const store::parity_group& group);
/// Removes an incomplete image. A complete image stays.
void abandon_on_node(const control::commit_info& generation) noexcept;

/// Copies the image to the directory of checkpoints.  errors: store_error
void copy_from_node(const control::commit_info& generation);
/// As copy_from_node(), on a thread with low priority, which calls `done` with the reason of a failure, or an empty
/// text.
void copy_from_node_later(const control::commit_info& generation, std::function<void(const std::string&)> done);

/// Learns how a checkpoint ended. Superfluous images are removed before the next image is written, and not while this
/// rank's image is still being written.
void settle_on_node(const control::commit_info& generation, control::stored_end end);

}  // namespace mana::job
