// This rank's images on its node: written there first, copied to the directory of checkpoints while the program runs on.
// Why it is done this way: docs/design/local.md.
#pragma once
#include <runtime/control/surroundings.hpp>
#include <runtime/image/save/image_saver.hpp>
#include <runtime/store/nodes/local_sidecar.hpp>

#include <cstdint>
#include <string>

namespace mana::job {

/// Finds or makes the place, which the ranks need not all have. Collective; MPI runs. Nothing without --local.
void begin_node_images();

/// Of the newest generation of which any rank's node has something; 0: none. Of rank 0; the others' is 0.
std::uint64_t newest_on_nodes() noexcept;

/// Of this rank's images.
const std::string& directory_on_node() noexcept;

/// Where this rank's image of the next checkpoint goes.
/// errors: store_error: there is no place, with the reason
std::string begin_on_node(const control::commit_info& generation);
/// The image is durable, with all that a restart needs to know of it. The coordinator is told.
/// in:     group  whose parity is durable too
/// errors: store_error
void finish_on_node(const control::commit_info& generation, const image::saved_image& saved,
                    const std::vector<std::string>& warnings, const store::parity_group& group);
/// An image that could not be finished is removed. One that is whole stays.
void abandon_on_node(const control::commit_info& generation) noexcept;

/// Copies it to the directory of checkpoints.     errors: store_error
void copy_from_node(const control::commit_info& generation);
/// The same, on a thread that lets the program have the cores first. `done` is called there, with why it failed, or nothing.
void copy_from_node_later(const control::commit_info& generation, std::function<void(const std::string&)> done);

/// What became of a checkpoint: images that are not needed any more go, some time before the next one is written. Where this
/// rank's image is still being written, they wait for its end.
void settle_on_node(const control::commit_info& generation, control::stored_end end);

}  // namespace mana::job
