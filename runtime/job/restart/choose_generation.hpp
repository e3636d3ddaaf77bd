// The checkpoint that all ranks of a restart take.
#pragma once
#include <runtime/store/directory_lock.hpp>

#include <cstdint>

namespace mana::job {

/// What keeps others from removing the checkpoint while it is restored; of rank 0.
using restart_hold = store::directory_lock;

/// INV-37 all ranks restart the same generation: rank 0 says which, each looks at its own image and at what that refers
/// to, and if one refuses, all go on to an older one together. With --local, images on the nodes are candidates too; one
/// that lies on another node than its rank is moved.
/// Afterwards image_of_restart() is this rank's, and this_job().options.generation the directory that it is in.
/// Collective; MPI runs. Where there is none, all ranks end.
restart_hold choose_generation(std::uint32_t rank, std::uint32_t size);

}  // namespace mana::job
