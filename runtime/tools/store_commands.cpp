// The commands that read checkpoints: restart, inspect, verify.
#include "checkpoint_view.hpp"
#include "commands.hpp"
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

/// How one rank's file is looked at. thorough: all bytes are read
image_view view_file(const store::generation& g, const store::manifest& m, const store::rank_file& f, bool thorough) {
  image_view v{f.rank, f.bytes, f.memory_bytes, {}};
  try {
    store::check_file(g, m, f, thorough ? store::depth::all_bytes : store::depth::identity);
  } catch (const store::store_error& error) {
    v.problem = error.what();
  }
  return v;
}

checkpoint_view view_generation(const store::generation& g, bool thorough) {
  checkpoint_view v;
  v.directory = g.path;
  v.generation = g.number;
  v.complete = store::is_complete(g);
  if (!v.complete) return v;
  try {
    const store::manifest m = store::read_manifest(g.path);
    v.unix_time_s = m.unix_time_s;
    v.mpi = m.mpi;
    v.mpi_version = m.mpi_version;
    v.program = m.program;
    v.ranks = m.ranks;
    v.warnings = m.warnings;
    for (const store::rank_file& f : m.files) v.images.push_back(view_file(g, m, f, thorough));
  } catch (const store::store_error& error) {
    v.problem = error.what();
  }
  return v;
}

std::vector<checkpoint_view> view_directory(const std::string& directory, bool thorough) {
  if (!std::filesystem::is_directory(directory))
    throw failure(exit_code::checkpoint_missing, directory + ": no such directory");
  std::vector<checkpoint_view> all;
  for (const store::generation& g : store::list(directory)) {
    checkpoint_view v = view_generation(g, thorough);
    // A running job may have pruned it meanwhile, the manifest first: then it is not damaged but gone.
    const bool pruned = v.complete && !is_sound(v) && !store::is_complete(g);
    if (!pruned) all.push_back(std::move(v));
  }
  if (all.empty())
    throw failure(exit_code::checkpoint_missing, directory + ": there is no checkpoint",
                  "name the directory that mana run was given by --ckpt-dir");
  return all;
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

int inspect(const inspect_command& wanted) {
  const auto all = view_directory(wanted.directory, false);
  fmt::print("{}", wanted.json ? as_json(all) : as_text(all, true));
  return 0;
}

int verify(const verify_command& wanted) {
  const auto all = view_directory(wanted.directory, true);
  fmt::print("{}", wanted.json ? as_json(all) : as_text(all, true));
  for (const checkpoint_view& v : all)
    if (v.complete && !is_sound(v)) return static_cast<int>(exit_code::checkpoint_damaged);
  return 0;
}

}  // namespace mana::tools
