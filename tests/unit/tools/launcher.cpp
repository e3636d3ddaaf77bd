#include <runtime/tools/mpi/launcher.hpp>

#include <runtime/tools/mpi/process_manager.hpp>
#include <runtime/tools/text/failure.hpp>

#include <doctest/doctest.h>

#include <map>

using namespace mana::tools;

namespace {

environment of(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

const auto hydra = of({{"PMI_RANK", "3"}, {"PMI_FD", "6"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "1"}});
const auto orte = of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "2"}, {"PMIX_RANK", "2"},
                      {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}});

mana::exit_status refusal(const mpi_evidence& evidence) {
  try {
    choose_mpi(evidence);
  } catch (const failure& failed) {
    CHECK(!failed.remedy().empty());
    return failed.code();
  }
  return mana::exit_status::success;
}

mpi_evidence evidence(linked_mpi linked, const environment& get, std::optional<mpi_name> wanted = {}) {
  return {"./app", std::move(linked), find_launcher(get), wanted};
}

const linked_mpi mpich{{mpi_name::mpich}, {}}, openmpi{{mpi_name::openmpi}, {}}, none{};

}  // namespace

TEST_CASE("launchers are known by what they leave in the environment") {
  CHECK(find_launcher(hydra).mpi == mpi_name::mpich);
  CHECK(find_launcher(hydra).certain);
  CHECK(find_launcher(hydra).rank == 3);
  CHECK(find_launcher(hydra).node_rank == 1);
  CHECK(find_launcher(orte).mpi == mpi_name::openmpi);
  CHECK(find_launcher(orte).rank == 2);
  CHECK(!find_launcher(of({})).mpi);
  CHECK(!find_launcher(of({{"PMIX_RANK", "0"}})).certain);
  CHECK(!find_launcher(of({{"PMI_FD", "5"}, {"PMI_RANK", "0"}, {"SLURM_JOB_ID", "7"}})).certain);
}

TEST_CASE("libraries are known by their sonames") {
  CHECK(find_linked_mpi({{"libc.so.6", ""}, {"libmpich.so.12", ""}}).found == std::vector{mpi_name::mpich});
  CHECK(find_linked_mpi({{"libmpi_cxx.so.40", ""}, {"libmpi.so.40", ""}}).found == std::vector{mpi_name::openmpi});
  CHECK(find_linked_mpi({{"/opt/x/libmpi.so.12", ""}}).found == std::vector{mpi_name::mpich});
  CHECK(find_linked_mpi({{"libmpi.so.20", ""}}).foreign == std::vector<std::string>{"libmpi.so.20"});
  CHECK(find_linked_mpi({{"libmpifoo.so", ""}}).found.empty());
}

TEST_CASE("the program's MPI is chosen; a launcher that disagrees is an error") {
  CHECK(choose_mpi(evidence(mpich, of({}))) == mpi_name::mpich);
  CHECK(choose_mpi(evidence(openmpi, orte)) == mpi_name::openmpi);
  CHECK(refusal(evidence(openmpi, hydra)) == mana::exit_status::mpi_mismatch);
  CHECK(refusal(evidence(mpich, orte)) == mana::exit_status::mpi_mismatch);
  CHECK(choose_mpi(evidence(mpich, of({{"PMIX_RANK", "0"}}))) == mpi_name::mpich);
  CHECK(refusal(evidence({{mpi_name::mpich, mpi_name::openmpi}, {}}, hydra)) == mana::exit_status::mpi_mismatch);
  CHECK(refusal(evidence({{}, {"libmpi.so.20"}}, orte)) == mana::exit_status::mpi_unsupported);
}

TEST_CASE("without an MPI library the launcher decides, and --mpi before it") {
  CHECK(choose_mpi(evidence(none, hydra)) == mpi_name::mpich);
  CHECK(choose_mpi(evidence(none, of({}), mpi_name::openmpi)) == mpi_name::openmpi);
  CHECK(refusal(evidence(none, hydra, mpi_name::openmpi)) == mana::exit_status::mpi_mismatch);
}

TEST_CASE("a program of which nothing says an MPI has none") {
  CHECK(choose_mpi(evidence(none, of({}))) == mpi_name::none);
  CHECK(choose_mpi(evidence(none, of({}), mpi_name::none)) == mpi_name::none);
  CHECK(choose_mpi(evidence(none, hydra, mpi_name::none)) == mpi_name::none);      // each process is a job of its own
  CHECK(choose_mpi(evidence(none, orte)) == mpi_name::openmpi);                    // ranks that never call MPI_Init
  CHECK(refusal(evidence(mpich, of({}), mpi_name::none)) == mana::exit_status::mpi_mismatch);
  CHECK(parse_mpi_name(short_name(mpi_name::none)) == mpi_name::none);
}

TEST_CASE("MPICH's ranks that were started for PMIx alone") {
  const auto refused = [](std::map<std::string, std::string> values, mpi_name mpi = mpi_name::mpich) {
    try {
      refuse_other_process_manager(mpi, "/bin/sh", of(std::move(values)));      // not linked with PMIx
    } catch (const failure& failed) {
      return std::string(failed.remedy());
    }
    return std::string();
  };
  const std::map<std::string, std::string> pmix{{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}};
  CHECK(refused(pmix).find("--mpi=pmi2") != std::string::npos);
  CHECK(refused({{"PMIX_NAMESPACE", "x"}}).find("mpirun") != std::string::npos);
  auto of_one = pmix;
  of_one["SLURM_STEP_NUM_TASKS"] = "1";
  auto both = pmix;
  both["PMI_FD"] = "5";
  CHECK(refused(of_one).empty());
  CHECK(refused(both).empty());
  CHECK(refused({}).empty());
  CHECK(refused({{"SLURM_STEP_NUM_TASKS", "2"}}).find("--mpi=pmi2") != std::string::npos);
  CHECK(refused({{"SLURM_STEP_NUM_TASKS", "2"}, {"PMI_FD", "9"}}).empty());
  CHECK(refused(pmix, mpi_name::openmpi).empty());
}
