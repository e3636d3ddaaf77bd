// At a restart: images that were lost with a node are made again from parity, before the ranks look for what is
// complete. Why it is done this way: docs/design/redundancy.md.
//
// INV-56 what is rebuilt is byte for byte what was written, of one attempt, or it gets no name: each block is compared
// with the checksum that was written with the parity, and no image gets a sidecar before all groups of its attempt have
// agreed.
#pragma once
#include <runtime/job/restart/found_images.hpp>

#include <cstdint>
#include <set>

namespace mana::job {

/// Of the newest generations on the nodes, one after another, until one is complete that is newer than all of `global`;
/// and of those that it builds on and `global` has not. What is rebuilt lies on the present nodes of its ranks, with a
/// sidecar, and is in `found` on all ranks. Rank 0 says what was repaired, and what cannot be. Collective; MPI runs.
/// What fails is said, and leaves files under temporary names at most (INV-55).
/// in:     found   equal on all ranks but for the directory
///         global  generations that are complete in the directory of checkpoints; the same on all ranks
void rebuild_lost_images(images_on_nodes& found, std::uint32_t rank, const std::set<std::uint64_t>& global);

}  // namespace mana::job
