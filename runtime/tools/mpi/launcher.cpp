#include <runtime/tools/mpi/launcher.hpp>

#include <runtime/tools/text/failure.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

namespace mana::tools {
namespace {

int number(const environment& get, std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* value = get(name)) return std::atoi(value);
  return otherwise;
}

const char* other_mpirun(mpi_name mpi) { return mpi == mpi_name::mpich ? "mpirun.mpich" : "mpirun.openmpi"; }

/// The launcher's MPI and the program's differ, and the launcher is certain.
[[noreturn]] void disagree(const mpi_evidence& evidence, mpi_name program) {
  throw failure(exit_status::mpi_mismatch,
                fmt::format("{} uses {}, but was started by {}'s mpirun", evidence.program, long_name(program),
                            long_name(*evidence.started_by.mpi)),
                fmt::format("start it with {} (on Debian: {})", long_name(program), other_mpirun(program)));
}

[[noreturn]] void refuse_without(const mpi_evidence& evidence) {
  throw failure(exit_status::mpi_mismatch,
                fmt::format("{} is linked with {}, and --mpi none is for programs without MPI", evidence.program,
                            long_name(evidence.linked.found.front())),
                "leave --mpi out");
}

}  // namespace

const char* short_name(mpi_name mpi) {
  return mpi == mpi_name::none ? "none" : mpi == mpi_name::mpich ? "mpich" : "openmpi";
}
const char* long_name(mpi_name mpi) {
  return mpi == mpi_name::none ? "no MPI" : mpi == mpi_name::mpich ? "MPICH" : "Open MPI";
}

std::optional<mpi_name> parse_mpi_name(const std::string& text) {
  for (const mpi_name mpi : {mpi_name::none, mpi_name::mpich, mpi_name::openmpi})
    if (text == short_name(mpi)) return mpi;
  return std::nullopt;
}

launcher find_launcher(const environment& get) {
  launcher found;
  if (get("OMPI_COMM_WORLD_SIZE")) {
    found = {mpi_name::openmpi, true};
  } else if (get("HYDI_CONTROL_FD") || (get("PMI_FD") && !get("SLURM_JOB_ID") && !get("PMIX_RANK"))) {
    found = {mpi_name::mpich, true};
  } else if (get("PMIX_RANK")) {
    found = {mpi_name::openmpi, false};   // MPICH can be built for PMIx too
  } else if (get("PMI_RANK") || get("PMI_SIZE")) {
    found = {mpi_name::mpich, false};     // Open MPI can be built for PMI too
  }
  found.rank = number(get, {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}, -1);
  found.node_rank = number(get, {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}, 0);
  return found;
}

linked_mpi find_linked_mpi(const std::vector<loaded_library>& closure) {
  linked_mpi result;
  const auto add = [&](mpi_name mpi) {
    if (std::find(result.found.begin(), result.found.end(), mpi) == result.found.end()) result.found.push_back(mpi);
  };
  for (const auto& [name, file] : closure) {
    const auto base = name.substr(name.rfind('/') + 1);
    if (base == "libmpich.so.12" || base == "libmpi.so.12") add(mpi_name::mpich);   // the MPICH ABI's two names
    else if (base == "libmpi.so.40") add(mpi_name::openmpi);
    else if (base.starts_with("libmpi.so") || base.starts_with("libmpich.so") || base.starts_with("libmpi_abi.so"))
      result.foreign.push_back(name);
  }
  return result;
}

mpi_name choose_mpi(const mpi_evidence& evidence) {
  const auto& [program, linked, started_by, wanted] = evidence;
  if (wanted == mpi_name::none) {
    if (!linked.found.empty()) refuse_without(evidence);
    return mpi_name::none;
  }
  if (!wanted && linked.found.size() > 1)
    throw failure(exit_status::mpi_mismatch, fmt::format("{} is linked with both MPICH and Open MPI", program),
                  "link it with one of them, or choose with --mpi mpich or --mpi openmpi");
  if (!wanted && linked.found.empty() && !linked.foreign.empty())
    throw failure(exit_status::mpi_unsupported,
                  fmt::format("{} is linked with an MPI that this mana has no lower half for ({})", program,
                              fmt::join(linked.foreign, ", ")),
                  "link it with MPICH (libmpich.so.12) or Open MPI 4 (libmpi.so.40)");
  std::optional<mpi_name> choice = wanted;
  if (!choice && !linked.found.empty()) choice = linked.found.front();
  if (choice) {
    if (started_by.mpi && started_by.certain && *started_by.mpi != *choice) disagree(evidence, *choice);
    return *choice;
  }
  return started_by.mpi.value_or(mpi_name::none);
}

}  // namespace mana::tools
