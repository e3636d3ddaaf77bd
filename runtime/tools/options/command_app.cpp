#include <runtime/tools/options/command_app.hpp>

#include <runtime/tools/options/option_checks.hpp>

#include <mana/clock/policies.hpp>
#include <mana/gen/families.hpp>

#include <runtime/image/format/processor.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#if !defined(MANA_VERSION)
#error "set by runtime/tools/CMakeLists.txt"
#endif

namespace mana::tools {
namespace {

/// What to do about something that a checkpoint cannot save.
void add_loss_option(CLI::App& app, const char* name, std::string& value, const char* what) {
  app.add_option(name, value,
                 fmt::format("When a checkpoint finds {}, which no restart has: warn (default), refuse, ignore", what))
      ->type_name("POLICY")
      ->check(CLI::IsMember({"warn", "refuse", "ignore"}));
}

/// How images are written.
void add_saving_options(CLI::App& app, run_options& options) {
  app.add_option("--local", options.local,
                 "Write images to this directory of each node first, and copy them while the program runs on; %n is the node's "
                 "name")
      ->type_name("DIR")
      ->check(local_directory());
  app.add_option("--copy-every", options.copy_every,
                 "With --local and --interval: copy one of so many checkpoints, and leave the others on the nodes alone (default: 1)")
      ->type_name("N")
      ->check(CLI::Range(1u, 1000u, ""));
  app.add_option("--redundancy", options.redundancy,
                 "With --local: the images of any M of K+M ranks are rebuilt from those of the others, at a cost of M/K of "
                 "their size; 1+1 is a copy")
      ->type_name("K+M")
      ->check(redundancy_scheme());
  app.add_option("--compress", options.compress,
                 "How images are compressed: auto (default: lz4 where that makes a checkpoint shorter), none, lz4[:N], "
                 "zstd[:LEVEL]")
      ->type_name("HOW")
      ->check(compression());
  app.add_option("--pack-threads", options.pack_threads,
                 "Compress by so many threads of each rank (1 … 64, or auto: as many as have idle cores; default: auto)")
      ->type_name("N")
      ->check(pack_threads());
  app.add_flag("--incremental", options.incremental, "Write only what changed since the checkpoint before");
  app.add_option("--full-every", options.full_every, "With --incremental: of so many checkpoints one is whole (default: 10)")
      ->type_name("N")
      ->check(CLI::Range(1u, 1000u, ""));
  app.add_flag("--by-reference", options.by_reference,
               "Leave out of images what is as it is in programs and libraries, which a restart needs then");
  app.add_flag("--forked", options.forked, "Let the program run on while a copy of each process writes");
  app.add_option("--max-rate", options.max_rate, "Write no more than so many bytes a second for each rank (100M, 2G; M is 2^20)")
      ->type_name("BYTES")
      ->transform(a_size());
  app.add_option("--nice", options.nice, "With --forked or --local: how much less than the program what writes, or copies, is to get of a core (0 … 19)")
      ->type_name("N")
      ->check(CLI::Range(0, 19, ""));
}

void add_run_options(CLI::App& app, run_options& options) {
  app.add_option("--keep", options.keep, "Keep the newest N checkpoints, and what they build on (1 … 1000, or all; default: 2)")
      ->type_name("N")->check(a_keep());
  app.add_option("--interval", options.interval_s, "Take a checkpoint every so many seconds (default: none by itself)")
      ->type_name("SECONDS")->check(duration());
  app.add_option("--stop-after", options.stop_after_s, "After so many seconds, take a checkpoint and end the job")
      ->type_name("SECONDS")->check(duration());
  app.add_option("--checkpoint-on", options.checkpoint_on, "Take a checkpoint when a rank gets one of these signals")
      ->type_name("SIGNALS")->check(signals());
  app.add_option("--stop-on", options.stop_on,
                 "When a rank gets one of these signals, take a checkpoint and end the job")
      ->type_name("SIGNALS")
      ->check(signals());
  app.add_option("--stopped-status", options.stopped_status,
                 fmt::format("Exit status of a job that a checkpoint ended, as it was asked to (0 … 255, default: {})",
                             options.stopped_status))
      ->type_name("N")
      ->check(CLI::Range(0, 255, ""));
  app.add_option(
         "--limit", options.limit_s,
         "Give up a checkpoint for which the ranks do not get ready within so many seconds; the program runs on")
      ->type_name("SECONDS")
      ->check(duration());
  app.add_option("--mpi", options.mpi, MANA_MPI_NAMES " or none: the MPI that the program uses, where it cannot be seen")
      ->type_name("NAME")->check(known_mpi());
  app.add_option("--clock", options.clock,
                 fmt::format("How ranks agree on where to stop: {} (default: {})",
                             fmt::join(clock::policy_names(), ", "), clock::policy_names().front()))
      ->type_name("NAME")
      ->check(known_clock());
  app.add_option("--clock-trace", options.clock_trace,
                 "Write down in this directory what each rank's clock is told and says, for mana-clock-replay")
      ->type_name("DIR")
      ->check(a_name());
  app.add_option("--fan-out", options.fan_out,
                 fmt::format("Ranks per relay of the control network (default: {})", clock::default_fan_out))
      ->type_name("K")
      ->check(fan_out());
  add_saving_options(app, options);
  add_loss_option(app, "--children", options.children, "child processes that are alive");
  add_loss_option(app, "--sockets", options.sockets, "connected sockets");
  app.add_option("--stdin", options.input,
                 "Read rank 0's standard input from this file, in which a restart goes on where the program was")
      ->type_name("FILE")
      ->check(a_name());
  app.add_flag("--perf-map", options.perf_map, "Write the names of functions to /tmp/perf-PID.map, for perf");
  app.add_flag("--verbose", options.verbose, "Say what is done");
}

void add_no_config(CLI::App& app, parsed& values) {
  app.add_flag("--no-config", values.no_config, "Do not read the configuration file");
}

/// A directory of checkpoints, in all commands alike: by its place, by --ckpt-dir, as configured, or mana-ckpt.
/// in:     place  the word's name
/// out:    both options
std::array<CLI::Option*, 2> add_directory(CLI::App& app, parsed& values, std::string& directory, const char* place,
                                          const char* what) {
  auto* const by_place = app.add_option(place, directory, fmt::format("{} (default: {})", what, default_directory));
  auto* const by_name = app.add_option("--ckpt-dir", directory, fmt::format("The same as {}", place));
  by_place->check(a_name());
  by_name->type_name("DIR")->check(a_name())->excludes(by_place);
  add_no_config(app, values);
  return {by_place, by_name};
}

void add_job(CLI::App& app, parsed& values, job_reference& job) {
  auto* file = app.add_option("--job", job.file, "The job's file")->type_name("FILE");
  const auto named = add_directory(app, values, job.checkpoint_directory, "DIR", "The job's checkpoint directory");
  for (CLI::Option* const option : named) option->excludes(file);
}

void build_run(CLI::App& app, parsed& values) {
  auto* run = app.add_subcommand("run", "Run a program so that it can be checkpointed: an MPI program under mpirun, any other as it is");
  run->footer("Usage: mpirun -n RANKS mana run [OPTIONS] [--] PROGRAM [ARGUMENTS…]\n       mana run [OPTIONS] [--] PROGRAM [ARGUMENTS…]");
  run->add_option("--ckpt-dir", values.run.checkpoint_directory, "Where checkpoints go (default: mana-ckpt)")
      ->type_name("DIR");
  run->add_option("--cpu", values.run.cpu,
                  fmt::format("Let the program's libc use only what this level has, so that it can go on wherever that "
                              "is: {}", fmt::join(image::processor_levels(), ", ")))
      ->type_name("LEVEL")
      ->check(CLI::IsMember(image::processor_levels()));
  add_run_options(*run, values.run);
  add_no_config(*run, values);
}

void add_map(CLI::App& app, std::vector<std::string>& moved) {
  app.add_option("--map", moved,
                 "Look for the program's files that were under OLD under NEW; may be given again for other paths")
      ->type_name("OLD=NEW")
      ->allow_extra_args(false)
      ->check(path_rule());
}

void add_progress(CLI::App& app, bool& progress) {
  app.add_flag("--progress", progress, "Say how far it is, also where stderr is no terminal");
}

void build_restart(CLI::App& app, parsed& values) {
  auto* restart = app.add_subcommand("restart", "Go on from the newest complete checkpoint, under mpirun if the job was");
  restart->footer("Usage: mpirun -n RANKS mana restart [DIR] [OPTIONS]");
  add_directory(*restart, values, values.restart.checkpoint_directory, "DIR",
                "The checkpoint directory, or one checkpoint in it");
  add_map(*restart, values.restart.moved);
  restart->add_flag("--lazy", values.restart.lazy,
                    "Run the program before its memory is read: what is not compressed is read when it is used");
  add_progress(*restart, values.restart.progress);
  add_run_options(*restart, values.restart);
}

void build_control(CLI::App& app, parsed& values) {
  auto* checkpoint = app.add_subcommand("checkpoint", "Take a checkpoint now; returns when it is durable");
  add_job(*checkpoint, values, values.checkpoint.job);
  add_progress(*checkpoint, values.checkpoint.progress);
  checkpoint->add_flag("--stop", values.checkpoint.stop, "End the job once the checkpoint is durable");
  checkpoint
      ->add_option("--wait", values.checkpoint.wait,
                   "global (default): until it is in the checkpoint directory; local: until it is on the ranks' nodes, if the "
                   "job runs with --local")
      ->type_name("WHERE")
      ->check(CLI::IsMember({"local", "global"}));
  checkpoint
      ->add_option("--timeout", values.checkpoint.timeout_s, "Give up after so many seconds (default: the job's limit)")
      ->type_name("SECONDS")
      ->check(duration());
  auto* status = app.add_subcommand("status", "Show a running job");
  add_job(*status, values, values.status.job);
  status->add_flag("--json", values.status.json, "For programs");
}

void add_json(CLI::App& app, bool& json) { app.add_flag("--json", json, "For programs"); }

void add_rank(CLI::App& app, std::optional<std::uint32_t>& rank) {
  app.add_option("--rank", rank, "The image of this rank alone")->type_name("R")->check(a_number());
}

constexpr const char* what_to_look_at =
    "A directory of checkpoints (its newest complete one), a checkpoint, or an image";

void build_looks(CLI::App& app, parsed& values) {
  auto* list = app.add_subcommand("list", "Show the checkpoints in a directory");
  add_directory(*list, values, values.list.directory, "DIR", "A checkpoint directory, or one checkpoint in it");
  add_json(*list, values.list.json);
  auto* inspect = app.add_subcommand("inspect", "Show what is in a checkpoint's images");
  add_directory(*inspect, values, values.inspect.what, "WHAT", what_to_look_at);
  add_rank(*inspect, values.inspect.rank);
  inspect->add_flag("--regions", values.inspect.regions, "Each piece of memory, with its addresses");
  add_json(*inspect, values.inspect.json);
  auto* verify = app.add_subcommand("verify", "Check every byte of the checkpoints in a directory");
  add_directory(*verify, values, values.verify.directory, "DIR", "A checkpoint directory, or one checkpoint in it");
  verify->add_option("--generation", values.verify.generation, "The checkpoint of this number alone")
      ->type_name("N")->check(a_number());
  add_progress(*verify, values.verify.progress);
  add_map(*verify, values.verify.moved);
  add_json(*verify, values.verify.json);
  auto* compact = app.add_subcommand("compact", "Make the newest checkpoint whole, so that it needs no older one");
  add_directory(*compact, values, values.compact.directory, "DIR", "A checkpoint directory");
  compact
      ->add_option("--compress", values.compact.compress,
                   "How its images are compressed: auto (default), none, lz4[:N], zstd[:LEVEL]")
      ->type_name("HOW")
      ->check(compression());
  compact
      ->add_option("--pack-threads", values.compact.pack_threads,
                   "Compress by so many threads (1 … 64, or auto: as many as there are cores, at most 16; default: auto)")
      ->type_name("N")
      ->check(pack_threads());
  add_progress(*compact, values.compact.progress);
  add_map(*compact, values.compact.moved);
  add_json(*compact, values.compact.json);
  auto* diff = app.add_subcommand("diff", "Show in what two checkpoints, or two images, differ");
  diff->add_option("A", values.diff.first, what_to_look_at)->required();
  diff->add_option("B", values.diff.second, "The same")->required();
  add_rank(*diff, values.diff.rank);
  diff->add_flag("--pages", values.diff.pages, "Which pages, too");
  add_progress(*diff, values.diff.progress);
  add_map(*diff, values.diff.moved);
  add_json(*diff, values.diff.json);
  auto* prune = app.add_subcommand("prune", "Remove the checkpoints that newer ones do not need");
  add_directory(*prune, values, values.prune.directory, "DIR", "A checkpoint directory");
  prune->add_option("--keep", values.prune.keep, "Keep the newest N, and what they build on (1 … 1000, or all; default: 2)")
      ->type_name("N")->check(a_keep());
  prune->add_flag("--dry-run", values.prune.dry_run, "Say what would be removed, and remove nothing");
  add_progress(*prune, values.prune.progress);
  add_json(*prune, values.prune.json);
}

void build_extract(CLI::App& app, parsed& values) {
  auto* extract = app.add_subcommand("extract", "Write parts of an image to files of their own");
  extract->footer("One of --section, --range, --core and --all is needed.");
  add_directory(*extract, values, values.extract.what, "WHAT", what_to_look_at);
  add_rank(*extract, values.extract.rank);
  extract->add_option("--section", values.extract.section, "A section of the image")
      ->type_name("NAME")
      ->check(a_name());
  extract->add_option("--range", values.extract_range, "Memory from address A up to B, in hex")
      ->type_name("A-B")
      ->check(a_range());
  extract->add_flag("--core", values.extract.core, "All memory and threads as a core dump, for debuggers");
  extract->add_flag("--all", values.extract.all, "Every section and every region, as files of a new directory");
  extract->add_option("-o,--output", values.extract.output, "The new file, or directory; nothing is written over")
      ->type_name("FILE")
      ->required()
      ->check(a_name());
  add_progress(*extract, values.extract.progress);
  add_map(*extract, values.extract.moved);
  add_json(*extract, values.extract.json);
}

void build_completion(CLI::App& app, parsed& values) {
  auto* completion = app.add_subcommand("completion", "Print the completion of mana's words for a shell");
  completion->footer("bash: . <(mana completion bash)");
  completion->add_option("SHELL", values.completion.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

void build_gdb(CLI::App& app, parsed& values) {
  auto* gdb = app.add_subcommand("gdb", "Debug a rank, with the names of the program and of MPI");
  gdb->footer("Usage: mana gdb PID [WORDS OF GDB…]\n       mana gdb --core FILE [WORDS OF GDB…]");
  auto* core = gdb->add_option("--core", values.gdb.core, "A core dump of a rank")->type_name("FILE")->check(a_name());
  gdb->add_option("PID", values.gdb.pid, "A rank's process on this node")
      ->check(a_process())
      ->excludes(core);
}

void build_doctor(CLI::App& app, parsed& values) {
  auto* doctor = app.add_subcommand("doctor", "Say beforehand what will not work here, and for a program");
  doctor->footer("Usage: mana doctor [OPTIONS] [--] [PROGRAM [ARGUMENTS…]]");
  doctor->add_option("--ckpt-dir", values.doctor.checkpoint_directory, "Where checkpoints will go (default: mana-ckpt)")
      ->type_name("DIR");
  add_no_config(*doctor, values);
  doctor->add_option("--mpi", values.doctor.mpi, MANA_MPI_NAMES " or none: the MPI of the program, where it cannot be seen")
      ->type_name("NAME")->check(known_mpi());
  doctor->add_flag("--json", values.doctor.json, "For programs");
}

}  // namespace

void build_app(CLI::App& app, parsed& values) {
  app.name("mana");
  app.description("Transparent checkpoint-restart of unmodified MPI programs, and of others.");
  app.set_version_flag("--version", "mana " MANA_VERSION);
  app.require_subcommand(1);
  build_run(app, values);
  build_restart(app, values);
  build_control(app, values);
  build_looks(app, values);
  build_extract(app, values);
  build_gdb(app, values);
  build_doctor(app, values);
  build_completion(app, values);
}

}  // namespace mana::tools
