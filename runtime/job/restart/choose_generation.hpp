// The checkpoint that all ranks of a restart take.
#pragma once
#include <runtime/store/directory_lock.hpp>

#include <cstdint>

namespace mana::job {

/// Keeps other processes from removing the checkpoint while it is restored; held by rank 0.
using restart_hold = store::directory_lock;

/// INV-37 all ranks restart the same generation. Rank 0 names a candidate, and each rank checks its own image and the
/// files to which it refers. If one rank refuses, all ranks continue with an older candidate. With --local, images on
/// the nodes are candidates too; an image on another node than its rank is moved.
/// Afterwards image_of_restart() is this rank's image, and this_job().options.generation is its directory. If no
/// checkpoint is left, all ranks end. Collective; MPI runs.
restart_hold choose_generation(std::uint32_t rank, std::uint32_t size);

}  // namespace mana::job
