#include <runtime/tools/options/command_app.hpp>

#include <runtime/tools/options/option_checks.hpp>
#include <runtime/tools/options/option_text.hpp>

#include <mana/gen/families.hpp>

#include <runtime/image/format/own_version.hpp>

#include <fmt/format.h>

#include <array>
#include <type_traits>

#if !defined(MANA_VERSION)
#error "set by runtime/tools/CMakeLists.txt"
#endif

namespace mana::tools {
namespace {

template <class Kind>
CLI::Option* add_option(CLI::App& app, const char* name, typename Kind::given& value, const char* value_name, const std::string& help) {
  if constexpr (std::is_same_v<Kind, option::flag>) {
    return app.add_flag(name, value, help);
  } else {
    CLI::Option* const added = app.add_option(name, value, help)->type_name(value_name);
    if constexpr (std::is_same_v<Kind, option::path_rules>) added->allow_extra_args(false);
    if constexpr (std::is_same_v<Kind, option::size>) return added->transform(check_of<Kind>());
    else return added->check(check_of<Kind>());
  }
}

/// Adds this command's rows of the table, except options that it has added itself.
void add_table(CLI::App& app, run_options& options, option::commands own) {
  const auto is_own = [&](option::commands of, const char* name) {
    return (of == option::commands::both || of == own) && app.get_option_no_throw(name) == nullptr;
  };
#define MANA_ADD(member, name, kind, default_value, value_name, taken_by, way, needs, excludes, under, help, guide) \
  if (is_own(option::commands::taken_by, name)) \
    add_option<option::kind>(app, name, options.member, value_name, help_of<option::kind>(help, default_value)) \
        ->group(heading_of(option::group::under));
  MANA_RUN_OPTIONS(MANA_ADD)
#undef MANA_ADD
}

void add_no_config(CLI::App& app, parsed& values) {
  app.add_flag("--no-config", values.no_config, "Do not read the configuration file");
}

/// A directory of checkpoints, in all commands alike: by its place, by --ckpt-dir, as configured, or mana-ckpt.
/// in:     place  the word's name
/// out:    both options
std::array<CLI::Option*, 2> add_places(CLI::App& app, std::string& directory, const char* place, const char* what) {
  auto* const by_place = app.add_option(place, directory, fmt::format("{} (default: {})", what, default_directory));
  auto* const by_name = app.add_option("--ckpt-dir", directory, fmt::format("The same as {}", place));
  by_place->check(check_of<option::file_name>());
  by_name->type_name("DIR")->check(check_of<option::file_name>())->excludes(by_place);
  return {by_place, by_name};
}

std::array<CLI::Option*, 2> add_directory(CLI::App& app, parsed& values, std::string& directory, const char* place,
                                          const char* what) {
  const auto both = add_places(app, directory, place, what);
  add_no_config(app, values);
  return both;
}

void add_job(CLI::App& app, parsed& values, job_reference& job) {
  auto* file = app.add_option("--job", job.file, "The job's file")->type_name("FILE");
  const auto named = add_directory(app, values, job.checkpoint_directory, "DIR", "The job's checkpoint directory");
  for (CLI::Option* const option : named) option->excludes(file);
}

void build_run(CLI::App& app, parsed& values) {
  auto* run = app.add_subcommand("run", "Run a program so that it can be checkpointed: an MPI program under mpirun, any other as it is");
  run->footer("Usage: mpirun -n RANKS mana run [OPTIONS] [--] PROGRAM [ARGUMENTS…]\n       mana run [OPTIONS] [--] PROGRAM [ARGUMENTS…]");
  add_table(*run, values.run, option::commands::run);
}

void add_map(CLI::App& app, std::vector<std::string>& moved) {
  add_option<option::path_rules>(app, "--map", moved, "OLD=NEW",
                                 "Look for the program's files that were under OLD under NEW; may be given again for other paths");
}

void add_progress(CLI::App& app, bool& progress) {
  app.add_flag("--progress", progress, "Say how far it is, also where stderr is no terminal");
}

void build_restart(CLI::App& app, parsed& values) {
  auto* restart = app.add_subcommand("restart", "Go on from the newest complete checkpoint, under mpirun if the job was");
  restart->footer("Usage: mpirun -n RANKS mana restart [DIR] [OPTIONS]");
  add_places(*restart, values.restart.checkpoint_directory, "DIR", "The checkpoint directory, or one checkpoint in it");
  add_table(*restart, values.restart, option::commands::restart);
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
      ->check(check_of<option::duration>());
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
      ->check(check_of<option::packing>());
  compact
      ->add_option("--pack-threads", values.compact.pack_threads,
                   "Compress by so many threads (1 … 64, or auto: as many as there are cores, at most 16; default: auto)")
      ->type_name("N")
      ->check(check_of<option::threads>());
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
      ->type_name("N")->check(check_of<option::kept>());
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
      ->check(check_of<option::file_name>());
  extract->add_option("--range", values.extract_range, "Memory from address A up to B, in hex")
      ->type_name("A-B")
      ->check(a_range());
  extract->add_flag("--core", values.extract.core, "All memory and threads as a core dump, for debuggers");
  extract->add_flag("--all", values.extract.all, "Every section and every region, as files of a new directory");
  extract->add_option("-o,--output", values.extract.output, "The new file, or directory; nothing is written over")
      ->type_name("FILE")
      ->required()
      ->check(check_of<option::file_name>());
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
  auto* core = gdb->add_option("--core", values.gdb.core, "A core dump of a rank")->type_name("FILE")->check(check_of<option::file_name>());
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
      ->type_name("NAME")->check(check_of<option::mpi_name>());
  doctor->add_flag("--json", values.doctor.json, "For programs");
}

}  // namespace

void build_app(CLI::App& app, parsed& values) {
  app.name("mana");
  app.description("Transparent checkpoint-restart of unmodified MPI programs, and of others.");
  const lower::boundary_version images = image::own_version();
  app.set_version_flag("--version", "mana " MANA_VERSION ", images " + std::to_string(images.major) + "." +
                                        std::to_string(images.minor));
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
