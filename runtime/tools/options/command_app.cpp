#include <runtime/tools/options/command_app.hpp>

#include <runtime/tools/options/help_format.hpp>
#include <runtime/tools/options/option_checks.hpp>
#include <runtime/tools/options/option_text.hpp>
#include <runtime/tools/options/option_words.hpp>

#include <runtime/image/format/own_version.hpp>

#include <fmt/format.h>

#include <array>
#include <memory>
#include <type_traits>

#if !defined(MANA_VERSION) || !defined(MANA_GUIDE_TOPICS)
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

/// Adds this command's rows of the table, except options that the command has added itself.
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

/// Adds the directory of checkpoints, which all commands find in the same way: the positional argument, --ckpt-dir, the
/// configuration file, or mana-ckpt.
/// in:   place  name of the positional argument
/// out:  both options
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

void build_run(CLI::App& app, parsed& values) {
  auto* run = app.add_subcommand("run", "Run a program so that it can be checkpointed: an MPI program under mpirun, "
                                        "any other alone");
  run->footer(example_text("mpirun -n 64 mana run --interval 600 --keep 3 ./app input"));
  add_table(*run, values.run, option::commands::run);
}

void build_restart(CLI::App& app, parsed& values) {
  auto* restart = app.add_subcommand("restart", "Continue from the newest intact checkpoint, under mpirun if the job "
                                                "was");
  restart->footer(example_text("mpirun -n 64 mana restart mana-ckpt"));
  add_places(*restart, values.restart.checkpoint_directory, "DIR", "The checkpoint directory, or one checkpoint in it");
  add_table(*restart, values.restart, option::commands::restart);
}

void add_job(CLI::App& app, parsed& values, job_reference& job, const char* place, const char* what) {
  auto* file = app.add_option("--job", job.file, "The job's file")->type_name("FILE");
  for (CLI::Option* const option : add_directory(app, values, job.checkpoint_directory, place, what))
    option->excludes(file);
}

/// Kinds that only these commands have; command_kinds.hpp says how each is given.
template <class Kind>
void add_row(CLI::App& app, parsed& values, typename Kind::given& value, const char* name, const char* value_name,
             const char* text) {
  const std::string help = help_of<Kind>(text, value);
  if constexpr (std::is_same_v<Kind, option::place>) {
    add_directory(app, values, value, name, text);
  } else if constexpr (std::is_same_v<Kind, option::running_job>) {
    add_job(app, values, value, name, text);
  } else if constexpr (std::is_same_v<Kind, option::future_place>) {
    app.add_option(name, value, help)->type_name(value_name);
    add_no_config(app, values);
  } else if constexpr (std::is_same_v<Kind, option::thing>) {
    app.add_option(name, value, help)->required();
  } else if constexpr (std::is_same_v<Kind, option::shell_name>) {
    app.add_option(name, value, help)->required()->check(check_of<Kind>());
  } else if constexpr (std::is_same_v<Kind, option::new_file>) {
    add_option<Kind>(app, name, value, value_name, help)->required();
  } else if constexpr (std::is_same_v<Kind, option::process_or_core>) {
    app.add_option(name, value, help)->check(a_process())->excludes(app.get_option("--core"));
  } else if constexpr (std::is_same_v<Kind, option::memory_range>) {
    app.add_option_function<std::string>(
           name, [&value](const std::string& given) { value = parse_address_range(given); }, help)
        ->type_name(value_name)
        ->check(a_range());
  } else if constexpr (std::is_same_v<Kind, option::rank_number> || std::is_same_v<Kind, option::generation_number>) {
    app.add_option(name, value, help)->type_name(value_name)->check(a_number());
  } else if constexpr (!std::is_same_v<Kind, option::words_behind>) {
    add_option<Kind>(app, name, value, value_name, help);
  }
}

/// Adds the commands of the table of commands.
void build_others(CLI::App& app, parsed& values) {
#define MANA_ADD(member, name, kind, default_value, value_name, help) \
  add_row<option::kind>(command, values, of.member, name, value_name, help);
#define MANA_BUILD(name, about, usage, example) \
  { \
    CLI::App& command = *app.add_subcommand(typed(#name), about); \
    command.footer(example_text(example)); \
    auto& of = values.name; \
    MANA_OPTIONS_##name(MANA_ADD) \
  }
  MANA_COMMANDS(MANA_BUILD)
#undef MANA_BUILD
#undef MANA_ADD
}

}  // namespace

void build_app(CLI::App& app, parsed& values) {
  app.name("mana");
  app.description("Transparent checkpoint-restart of unmodified MPI programs, and of others.");
  app.formatter(std::make_shared<help_format>());
  app.option_defaults()->group(default_heading);      // the commands' options have it from here
  app.get_help_ptr()->group(default_heading);
  app.footer(example_text("mpirun -n 64 mana run --interval 600 ./app\nmpirun -n 64 mana restart"));
  const lower::boundary_version images = image::own_version();
  app.set_version_flag("--version", "mana " MANA_VERSION ", images " + std::to_string(images.major) + "." +
                                        std::to_string(images.minor));
  app.require_subcommand(1);
  build_run(app, values);
  build_restart(app, values);
  build_others(app, values);
}

}  // namespace mana::tools

namespace mana::option {

std::vector<std::string> guide_topic::choices() { return CLI::detail::split(MANA_GUIDE_TOPICS, ' '); }

}  // namespace mana::option
