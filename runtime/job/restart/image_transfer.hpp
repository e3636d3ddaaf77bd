// Moves images from node to node with messages, before the ranks open them.
#pragma once
#include <runtime/store/nodes/local_moves.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace mana::job {

/// Does this rank's part of all moves, in their order, so that no ranks wait for each other in a circle. An image gets
/// its sidecar when it is durable: an incomplete image has none. All ranks call this with the same moves, and each rank
/// does all of its part, even after a failure. MPI runs.
/// in:     directory  of this node, as local_store has it
/// errors: start_failure, the first that this rank met
void move_images(std::span<const store::image_move> moves, std::uint32_t rank, const std::string& directory);

}  // namespace mana::job
