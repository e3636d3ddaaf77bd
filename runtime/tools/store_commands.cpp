// `mana restart`: what can be known beforehand is checked, then this process becomes the lower half.
#include "exec.hpp"
#include "failure.hpp"
#include "install_tree.hpp"
#include "program_check.hpp"
#include "run_options.hpp"
#include "store_failure.hpp"

#include <generation_choice.hpp>
#include <store.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace mana::tools {
namespace {

mpi_name mpi_of(const store::manifest& manifest, const std::string& path) {
  for (const mpi_name mpi : {mpi_name::mpich, mpi_name::openmpi})
    if (manifest.mpi == long_name(mpi)) return mpi;
  throw failure(exit_code::surroundings_differ,
                fmt::format("{}: the checkpoint was made with {}, which this mana does not know", path, manifest.mpi));
}

void check_launcher(const launcher& started_by, mpi_name mpi, const std::string& path) {
  if (!started_by.mpi || !started_by.certain || *started_by.mpi == mpi) return;
  throw failure(exit_code::surroundings_differ,
                fmt::format("{}: the checkpoint was made with {}, this mpirun belongs to {}", path, long_name(mpi),
                            long_name(*started_by.mpi)),
                fmt::format("use the mpirun of {}", long_name(mpi)));
}

/// The newest whose manifest can be read: it says which MPI is needed.
store::generation_choice::candidate newest_of(const std::string& directory) {
  try {
    return store::generation_choice(directory).current();
  } catch (const store::store_error& error) {
    fail_with(error);
  }
}

}  // namespace

void restart(const run_options& options, const environment& get) {
  check_kernel();
  const store::generation_choice::candidate newest = newest_of(options.checkpoint_directory);
  const auto path = std::filesystem::absolute(newest.which.path).lexically_normal();
  const mpi_name mpi = mpi_of(newest.contents, path.string());
  const auto started_by = find_launcher(get);
  check_launcher(started_by, mpi, path.string());
  const auto parts = find_parts(mpi);
  const auto directory = prepare_checkpoint_directory(path.parent_path());
  // The ranks choose together, when MPI runs, unless the user did.
  const auto named = std::filesystem::absolute(options.checkpoint_directory).lexically_normal();
  const bool chosen = (named.has_filename() ? named : named.parent_path()) == path;
  std::vector<std::string> arguments{"restart", chosen ? path.string() : directory.string()};
  for (std::string& word : lower_half_words(options, directory.string())) arguments.push_back(std::move(word));
  use_default_layout();
  become(parts.lower_half, arguments);
}

}  // namespace mana::tools
