// At a restart, the ranks rebuild images from parity that were lost with a node, before they look for complete
// checkpoints. docs/design/redundancy.md gives the reasons.
//
// INV-56 a rebuilt file is byte for byte what was written, of one attempt, or it gets no name. Each block is compared
// with the checksum that was written with the parity. No image gets a sidecar before all groups of its attempt have
// agreed.
#pragma once
#include <runtime/job/restart/found_images.hpp>

#include <cstdint>
#include <set>

namespace mana::job {

/// Rebuilds the newest generations on the nodes, one after another, until one is complete that is newer than all of
/// `global`. Then rebuilds the generations on which it builds and which `global` lacks. A rebuilt file lies on the
/// present node of its rank, with a sidecar, and is in `found` on all ranks. Rank 0 prints which files were rebuilt,
/// and which cannot be. A failure is printed, and leaves only files under temporary names (INV-55). Collective; MPI
/// runs.
/// in:     found   equal on all ranks except for the directory
///         global  complete generations in the directory of checkpoints; the same on all ranks
void rebuild_lost_images(images_on_nodes& found, std::uint32_t rank, const std::set<std::uint64_t>& global);

}  // namespace mana::job
