// Can the MPI that was chosen speak with what started this process?
#pragma once
#include <runtime/tools/mpi/launcher.hpp>

#include <filesystem>

namespace mana::tools {

/// in:     lower_half  of `mpi`
/// errors: failure (mpi_mismatch): the launcher offers PMIx alone (srun --mpi=pmix), and this MPI, which has a process
///         manager of its own, is not built for it; or srun offers nothing: each of the step's processes would be a job of
///         its own. A step of one process may be one.
void refuse_other_process_manager(const live_mpi& mpi, const std::filesystem::path& lower_half, const environment& get);

}  // namespace mana::tools
