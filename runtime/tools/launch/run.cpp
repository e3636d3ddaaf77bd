// `mana run`: everything that can be known beforehand is checked, then this process becomes the lower half.
#include <runtime/tools/launch/exec.hpp>
#include <runtime/tools/launch/program_check.hpp>
#include <runtime/tools/mpi/install_tree.hpp>
#include <runtime/tools/mpi/process_manager.hpp>
#include <runtime/tools/options/run_options.hpp>
#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/signal_names.hpp>

#include <runtime/image/format/processor.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace mana::tools {

namespace {

void check_redundancy(const run_options& options) {
  if (options.local.empty())
    throw failure(exit_status::usage, "--redundancy is of images on the nodes, and there is no --local",
                  "say where each node keeps images: --local DIR, or leave --redundancy out");
  if (options.forked)
    throw failure(exit_status::usage, "--redundancy and --forked exclude each other: parity is computed by messages between "
                  "the ranks, for which the program has to stand until the images are written",
                  "leave one of them out; with --local the copy to the checkpoint directory is made while the program runs on");
}

void check_copy_every(const run_options& options) {
  if (options.local.empty())
    throw failure(exit_status::usage, "--copy-every is of images on the nodes, and there is no --local",
                  "say where each node keeps images: --local DIR, or leave --copy-every out");
}

/// The file is rank 0's; the other ranks' nodes need not have it.
std::string check_input(const std::string& name) {
  const std::string file = std::filesystem::absolute(name).lexically_normal().string();
  if (find_launcher([](const char* variable) { return std::getenv(variable); }).rank > 0) return file;
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status) || std::filesystem::is_directory(status) || ::access(file.c_str(), R_OK) != 0)
    throw failure(exit_status::usage, fmt::format("--stdin: {} is no file that can be read", file),
                  "name a file that rank 0 can read");
  return file;
}

}  // namespace

std::vector<std::string> lower_half_words(const run_options& options, const std::string& directory) {
  std::vector<std::string> words{"--ckpt-dir", directory, "--interval", seconds(options.interval_s), "--limit",
                                 seconds(options.limit_s)};
  const auto add = [&words](const char* name, const std::string& value) { words.insert(words.end(), {name, value}); };
  const auto set_of = [](const std::string& names) { return names.empty() ? 0 : parse_signals(names); };
  const std::uint64_t checkpoint_on = set_of(options.checkpoint_on), stop_on = set_of(options.stop_on);
  if ((checkpoint_on & stop_on) != 0)
    throw failure(exit_status::usage, "--checkpoint-on and --stop-on name the same signal", "name it for one of them");
  if (options.stop_after_s > 0) add("--stop-after", seconds(options.stop_after_s));
  if (options.stopped_status != static_cast<int>(exit_status::stopped))
    add("--stopped-status", std::to_string(options.stopped_status));
  if (checkpoint_on != 0) add("--checkpoint-on", std::to_string(checkpoint_on));
  if (stop_on != 0) add("--stop-on", std::to_string(stop_on));
  if (!options.clock.empty()) add("--clock", options.clock);
  if (!options.clock_trace.empty()) add("--clock-trace", prepare_trace_directory(options.clock_trace));
  if (options.fan_out != clock::default_fan_out) add("--fan-out", std::to_string(options.fan_out));
  if (options.children != "warn") add("--children", options.children);
  if (options.sockets != "warn") add("--sockets", options.sockets);
  if (!options.local.empty()) add("--local", options.local);
  if (options.copy_every != 1) {
    check_copy_every(options);
    add("--copy-every", std::to_string(options.copy_every));
  }
  if (!options.redundancy.empty()) {
    check_redundancy(options);
    add("--redundancy", options.redundancy);
  }
  if (options.compress != "auto") add("--compress", options.compress);
  if (options.incremental) words.insert(words.end(), {"--incremental", "--full-every", std::to_string(options.full_every)});
  if (options.by_reference) words.emplace_back("--by-reference");
  if (options.forked) words.emplace_back("--forked");
  if (options.max_rate != 0) add("--max-rate", std::to_string(options.max_rate));
  if (options.pack_threads != "auto") add("--pack-threads", options.pack_threads);
  if (options.nice != 0) add("--nice", std::to_string(options.nice));
  if (options.lazy) words.emplace_back("--lazy");
  if (options.progress) words.emplace_back("--progress");
  if (options.keep != "2") add("--keep", options.keep);
  for (const std::string& word : options.moved) add("--map", word);
  if (!options.input.empty()) add("--stdin", check_input(options.input));
  if (options.perf_map) words.emplace_back("--perf-map");
  if (options.verbose) words.emplace_back("--verbose");
  return words;
}

namespace {

/// For this process and what it becomes. The lower half is limited too, in nothing that it shows.
void limit_processor(const std::string& level, const environment& get) {
  if (level.empty()) return;
  const auto missing = image::lacking(image::least_of(level), image::features_here());
  if (!missing.empty())
    throw failure(exit_status::usage, fmt::format("--cpu {}: this processor lacks {}", level, fmt::join(missing, ", ")),
                  "choose a lower level");
  const char* const earlier = get("GLIBC_TUNABLES");
  setenv("GLIBC_TUNABLES", image::tunables_for(level, earlier != nullptr ? earlier : "").c_str(), 1);
}

}  // namespace

void run(const run_options& options, const environment& get) {
  const auto program = check_program(options.command, get);
  const auto started_by = find_launcher(get);
  const auto mpi =
      choose_mpi({options.command[0], program.linked, started_by, parse_mpi_name(options.mpi)});
  const auto parts = find_parts(mpi);
  refuse_other_process_manager(mpi, parts.lower_half, get);
  refuse_sanitized(program);
  check_kernel();
  limit_processor(options.cpu, get);
  const auto directory = prepare_checkpoint_directory(options.checkpoint_directory);

  // Tools first, as the dynamic loader would find them before the MPI library: what they define goes to them.
  std::string preload;
  for (const auto& layer : program.layers) preload += layer.string() + ":";
  std::vector<std::string> arguments{"run", "--preload", preload + parts.wrappers.string(), "--linked",
                                     program.linked.found.empty() ? "no" : "yes"};
  for (std::string& word : lower_half_words(options, directory.string())) arguments.push_back(std::move(word));
  if (!options.cpu.empty()) arguments.insert(arguments.end(), {"--cpu", options.cpu});
  arguments.insert(arguments.end(), {"--program", program.file.string()});
  arguments.insert(arguments.end(), {"--tool", std::filesystem::read_symlink("/proc/self/exe").string(), "--"});
  // The lower half loads what it is told: the file that was checked, not another that PATH may give it.
  arguments.insert(arguments.end(), program.arguments.begin(), program.arguments.end());   // by the name that was typed
  if (options.verbose && started_by.rank <= 0)
    fmt::print(stderr, "mana: {}{}, checkpoints in {}\nmana: {} {}\n", long_name(mpi),
               mpi == mpi_name::none ? " (a job of one process)" : started_by.mpi ? "" : " without mpirun (a single rank)", directory.string(), parts.lower_half.string(),
               fmt::join(arguments, " "));
  use_default_layout();
  become(parts.lower_half, arguments);
}

}  // namespace mana::tools
