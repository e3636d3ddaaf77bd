// Settings for one-sided communication. Debian's leave Open MPI 4.1 no component for some communicators. ucx and pt2pt
// are excluded, and rdma serves neither a single rank nor most networks. The live MPI allows pt2pt again. pt2pt
// refuses MPI_THREAD_MULTIPLE, so there ucx is allowed. rdma stays the first choice where it can be used. An Open MPI that
// no longer has pt2pt needs none of this: its rdma serves all, and its ucx complains of the priority. Settings of the
// user count more: the environment, --mca, and a file of the user's own.
#include <runtime/lower/prepare_start.hpp>

#include <mana/lower/neutral.hpp>

#include <mpi.h>

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace mana::real_mpi {

namespace {

/// The value of `osc` in a file of settings; empty: it has none.
std::string osc_setting(const std::string& file) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t name = line.find_first_not_of(" \t"), equal = line.find('=');
    if (name == line.npos || equal == line.npos || line.compare(name, 3, "osc") != 0) continue;
    if (line.find_first_not_of(" \t", name + 3) != equal) continue;
    const std::size_t value = line.find_first_not_of(" \t", equal + 1);
    return value == line.npos ? std::string() : line.substr(value, line.find_last_not_of(" \t\r") + 1 - value);
  }
  return {};
}

/// Whether the live MPI has the component, where Debian has it.
bool has_pt2pt() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<void*>(&PMPI_Init_thread), &library) == 0 || library.dli_fname == nullptr) return false;
  const auto directory = std::filesystem::path(library.dli_fname).parent_path();
  for (const char* const place : {"openmpi/lib/openmpi3", "openmpi3", "openmpi"})
    if (access((directory / place / "mca_osc_pt2pt.so").c_str(), R_OK) == 0) return true;
  return false;
}

}  // namespace

void prepare_start(int required) {
  if (std::getenv("OMPI_MCA_osc") != nullptr) return;
  const char* const home = std::getenv("HOME");
  if (home != nullptr && !osc_setting(std::string(home) + "/.openmpi/mca-params.conf").empty()) return;
  if (osc_setting("/etc/openmpi/openmpi-mca-params.conf") != "^ucx,pt2pt" || !has_pt2pt()) return;
  const bool shares_calls = required == neutral::thread_multiple;
  setenv("OMPI_MCA_osc", shares_calls ? "^pt2pt" : "^ucx", 1);
  if (shares_calls) setenv("OMPI_MCA_osc_ucx_priority", "1", 0);
}

}  // namespace mana::real_mpi
