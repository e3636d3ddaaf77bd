#include <runtime/tools/mpi/process_manager.hpp>

#include <runtime/tools/text/failure.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace mana::tools {
namespace {

bool offers_pmi(const environment& get) {
  for (const char* name : {"PMI_FD", "PMI_PORT", "PMI_RANK", "HYDI_CONTROL_FD"})
    if (get(name)) return true;
  return false;
}

bool offers_pmix(const environment& get) { return get("PMIX_RANK") != nullptr || get("PMIX_NAMESPACE") != nullptr; }

/// 0: Slurm's srun did not start this process.
int processes_of_step(const environment& get) {
  const char* const tasks = get("SLURM_STEP_NUM_TASKS");
  return tasks != nullptr ? std::atoi(tasks) : 0;
}

bool speaks_pmix(const std::filesystem::path& lower_half, const environment& get) {
  const char* const path = get("LD_LIBRARY_PATH");
  const auto closure = library_closure(read_elf_program(lower_half), read_library_cache(), path ? path : "");
  return std::any_of(closure.begin(), closure.end(),
                     [](const auto& library) { return library.name.starts_with("libpmix.so"); });
}

}  // namespace

void refuse_other_process_manager(mpi_name mpi, const std::filesystem::path& lower_half, const environment& get) {
  const int processes = processes_of_step(get);
  const bool by_pmix = offers_pmix(get);
  if (mpi != mpi_name::mpich || offers_pmi(get) || processes == 1 || (processes == 0 && !by_pmix)) return;
  if (by_pmix && speaks_pmix(lower_half, get)) return;
  throw failure(exit_status::mpi_mismatch,
                std::string(by_pmix ? "the ranks were started for PMIx, which this MPICH does not speak"
                                    : "srun has started the ranks without a plug-in for their MPI") +
                    ": each would be a job of its own",
                processes > 0 ? "use MPICH's plug-in: srun --mpi=pmi2" : "start them with MPICH's mpirun");
}

}  // namespace mana::tools
