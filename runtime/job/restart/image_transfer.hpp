// Images go from node to node by messages, before the ranks open them.
#pragma once
#include <runtime/store/nodes/local_moves.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace mana::job {

/// This rank's part of all moves, in their order, so that none waits for another in a circle. An image gets its sidecar
/// when it is durable: what was moved by half is none.
/// All ranks call it with the same moves; MPI runs. Each does all of its part, whatever fails.
/// in:     directory  of this node, as local_store has it
/// errors: start_failure, the first that this rank met
void move_images(std::span<const store::image_move> moves, std::uint32_t rank, const std::string& directory);

}  // namespace mana::job
