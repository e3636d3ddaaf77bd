// `mana restart`: what can be known beforehand is checked, then this process becomes the lower half.
#include "exec.hpp"
#include "failure.hpp"
#include "install_tree.hpp"
#include "program_check.hpp"
#include "run_options.hpp"

#include <store.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace mana::tools {
namespace {

[[noreturn]] void fail(const store::store_error& error) {
  using store::error_kind;
  throw failure(error.kind() == error_kind::damaged ? exit_code::checkpoint_damaged : exit_code::checkpoint_missing,
                error.what());
}

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

}  // namespace

void restart(const run_options& options, const environment& get) {
  check_kernel();
  store::generation newest;
  store::manifest manifest;
  try {
    newest = store::newest_complete(options.checkpoint_directory);
    manifest = store::read_manifest(newest.path);
  } catch (const store::store_error& error) {
    fail(error);
  }
  const auto path = std::filesystem::absolute(newest.path).lexically_normal();
  const mpi_name mpi = mpi_of(manifest, path.string());
  const auto started_by = find_launcher(get);
  check_launcher(started_by, mpi, path.string());
  const auto parts = find_parts(mpi);
  const auto directory = prepare_checkpoint_directory(path.parent_path());
  std::vector<std::string> arguments{"restart", path.string()};
  for (std::string& word : lower_half_words(options, directory.string())) arguments.push_back(std::move(word));
  if (options.verbose && started_by.rank <= 0) fmt::print(stderr, "mana: restarting {}\n", path.string());
  use_default_layout();
  become(parts.lower_half, arguments);
}

}  // namespace mana::tools
