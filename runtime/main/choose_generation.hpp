// The checkpoint that all ranks of a restart take.
#pragma once
#include <directory_lock.hpp>

#include <cstdint>

namespace mana::run {

/// What keeps others from removing the checkpoint while it is restored; of rank 0.
using restart_hold = store::directory_lock;

/// INV-37 all ranks restart the same generation: rank 0 says which, each looks at its own image and at what that refers to, and
/// if one refuses, all go on to an older one together.
/// Afterwards this_job().options.generation is its directory. Collective; MPI runs. Where there is none, all ranks end.
restart_hold choose_generation(std::uint32_t rank, std::uint32_t size);

/// What MPI_Init_thread was asked for by the program, as this rank's newest image that can be read says; 0 if there is none: then
/// the ranks will say why together, once MPI runs.
int recorded_thread_level() noexcept;

}  // namespace mana::run
