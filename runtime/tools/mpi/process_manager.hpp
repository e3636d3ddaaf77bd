// Checks that the chosen MPI can talk to the process manager that started this process.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>

#include <filesystem>

namespace mana::tools {

/// in:     lower_half  linked with `mpi`
/// errors: failure (mpi_mismatch): the launcher offers only PMIx (srun --mpi=pmix), and this MPI has its own process
///         manager and is not built for PMIx. Or srun offers no process manager: then each process of the step would be
///         a job of its own, which is right only for a step of one process.
void refuse_other_process_manager(const live_mpi& mpi, const std::filesystem::path& lower_half, const environment& get);

}  // namespace mana::tools
