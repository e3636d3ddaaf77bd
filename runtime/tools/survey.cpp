#include "survey.hpp"

#include "failure.hpp"
#include "store_failure.hpp"

#include <filesystem>
#include <utility>

namespace mana::tools {
namespace {

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

}  // namespace

namespace {

std::vector<store::generation> generations_in(const std::string& directory) {
  try {
    return store::list(directory);
  } catch (const store::store_error& error) {
    fail_with(error);
  }
}

}  // namespace

std::vector<checkpoint_view> view_directory(const std::string& directory, bool thorough) {
  if (!std::filesystem::is_directory(directory))
    throw failure(exit_code::checkpoint_missing, directory + ": no such directory");
  std::vector<checkpoint_view> all;
  for (const store::generation& g : generations_in(directory)) {
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

}  // namespace mana::tools
