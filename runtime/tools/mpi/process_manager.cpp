#include <runtime/tools/mpi/process_manager.hpp>

#include <runtime/tools/text/failure.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace mana::tools {
namespace {

bool is_offered(const mpi_family& family, const environment& get) {
  return any_in(family.manager, [&](const char* name) { return get(name) != nullptr; });
}

bool offers_pmix(const environment& get) { return get("PMIX_RANK") != nullptr || get("PMIX_NAMESPACE") != nullptr; }

/// out: 0 if Slurm's srun did not start this process
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

void refuse_other_process_manager(const live_mpi& mpi, const std::filesystem::path& lower_half, const environment& get) {
  const mpi_family* const family = family_of(mpi.family);
  if (family == nullptr || *family->manager == nullptr || is_offered(*family, get)) return;
  const int processes = processes_of_step(get);
  const bool by_pmix = offers_pmix(get);
  if (processes == 1 || (processes == 0 && !by_pmix)) return;
  if (by_pmix && speaks_pmix(lower_half, get)) return;
  throw failure(exit_status::mpi_mismatch,
                (by_pmix ? fmt::format("the ranks were started for PMIx, which this {} cannot use", family->long_name)
                         : "srun has started the ranks without a plug-in for their MPI") +
                    ": each rank would be a job of its own",
                processes > 0 ? fmt::format("use {}'s plug-in: srun --mpi={}", family->long_name, family->srun)
                              : fmt::format("start them with {}'s mpirun", family->long_name));
}

}  // namespace mana::tools
