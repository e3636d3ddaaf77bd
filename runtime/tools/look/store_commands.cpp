// `mana restart`: checks everything that can be known before the start, then becomes the lower half.
#include <runtime/tools/launch/exec.hpp>
#include <runtime/tools/launch/program_check.hpp>
#include <runtime/tools/launch/restart_source.hpp>
#include <runtime/tools/mpi/install_tree.hpp>
#include <runtime/tools/mpi/process_manager.hpp>
#include <runtime/tools/options/run_options.hpp>
#include <runtime/tools/text/failure.hpp>

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace mana::tools {
namespace {

/// If a rank cannot use the directory, it reports that when it reads its image.
std::filesystem::path directory_of(const restart_source& source, const launcher& started_by) {
  if (!source.is_seen) return source.directory;
  try {
    return prepare_checkpoint_directory(source.directory);
  } catch (const failure&) {
    if (!has_others(started_by)) throw;
    return source.directory;
  }
}

}  // namespace

void restart(const run_options& options, const environment& get) {
  hold_requests(request_signals(options));
  check_kernel();
  const auto started_by = find_launcher(get);
  const restart_source source = find_restart_source(options, started_by);
  std::optional<live_mpi> live;
  const mpi_evidence evidence{source.where, {}, started_by, options.mpi, {}, installed_mpis(), launchers_among(programs_of_ancestors())};
  if (source.made_with != mpi_name::none) {
    if (options.mpi == short_name(mpi_name::none))
      throw failure(exit_status::mpi_mismatch, fmt::format("--mpi none: {} is a checkpoint of an MPI program", source.where), "leave --mpi out");
    live = choose_live(evidence, source.made_with);
  }
  const std::filesystem::path lower_half = find_lower_half(live);
  if (live) refuse_other_process_manager(*live, lower_half, get);
  const auto directory = directory_of(source, started_by);
  // The ranks choose together after MPI starts, unless the user named a checkpoint.
  const auto& what = source.generation.empty() ? directory : source.generation;
  std::vector<std::string> arguments{"restart", what.string()};
  for (std::string& word : lower_half_words(options, directory.string())) arguments.push_back(std::move(word));
  if (live && started_by.rank <= 0) warn(remark_on(*live, evidence));
  use_default_layout();
  become(lower_half, arguments);
}

}  // namespace mana::tools
