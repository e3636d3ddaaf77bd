// `mana run`: checks everything that can be known before the start, then becomes the lower half.
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
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mana::tools {

namespace {

/// in: given  names of options on the command line or in the configuration file
void check_relations(const std::set<std::string_view>& given) {
  const auto check = [&given](const std::string& name, option::relation needs, option::relation excludes) {
    if (!given.contains(name)) return;
    if (*needs.other != '\0' && !given.contains(needs.other))
      throw failure(exit_status::usage, fmt::format("{} {}, but {} is missing", name, needs.why, needs.other),
                    fmt::format("add {}, or omit {}", needs.other, name));
    if (*excludes.other != '\0' && given.contains(excludes.other))
      throw failure(exit_status::usage, fmt::format("{} and {} exclude each other: {}", name, excludes.other, excludes.why),
                    "omit one of them");
  };
  using namespace option;
#define MANA_CHECK(member, name, kind, default_value, value_name, taken_by, way, needs, excludes, ...) check(name, needs, excludes);
  MANA_RUN_OPTIONS(MANA_CHECK)
#undef MANA_CHECK
}

/// Rank 0 reads the file; the other ranks' nodes need not have it.
std::string check_input(const std::string& name) {
  const std::string file = std::filesystem::absolute(name).lexically_normal().string();
  if (find_launcher([](const char* variable) { return std::getenv(variable); }).rank > 0) return file;
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status) || std::filesystem::is_directory(status) || ::access(file.c_str(), R_OK) != 0)
    throw failure(exit_status::usage, fmt::format("--stdin: {} is not a readable file", file),
                  "name a file that rank 0 can read");
  return file;
}

}  // namespace

namespace {

/// An option's value for the lower half, if it differs from the given value.
template <class Kind>
std::string word_of(const typename Kind::given& value) {
  if constexpr (std::is_same_v<Kind, option::duration>) return seconds(value);
  else if constexpr (std::is_same_v<Kind, option::signals>) return std::to_string(parse_signals(value));
  else if constexpr (std::is_same_v<Kind, option::trace_directory>) return prepare_trace_directory(value);
  else if constexpr (std::is_same_v<Kind, option::input_file>) return check_input(value);
  else return fmt::format("{}", value);
}

template <class Kind>
void add(std::vector<std::string>& words, const char* name, const typename Kind::given& value) {
  if constexpr (std::is_same_v<Kind, option::flag>) words.emplace_back(name);
  else if constexpr (std::is_same_v<Kind, option::path_rules>) for (const std::string& rule : value) words.insert(words.end(), {name, rule});
  else words.insert(words.end(), {name, word_of<Kind>(value)});
}

/// out: the options that do not have their defaults
std::set<std::string_view> given_options(const run_options& options) {
  static const run_options standard;
  std::set<std::string_view> names;
#define MANA_NAME(member, name, ...) if (options.member != standard.member) names.insert(name);
  MANA_RUN_OPTIONS(MANA_NAME)
#undef MANA_NAME
  return names;
}

void check_signals(const run_options& options) {
  if (options.checkpoint_on.empty() || options.stop_on.empty()) return;
  if ((parse_signals(options.checkpoint_on) & parse_signals(options.stop_on)) != 0)
    throw failure(exit_status::usage, "--checkpoint-on and --stop-on name the same signal", "name it for one of them");
}

}  // namespace

std::uint64_t request_signals(const run_options& options) {
  std::uint64_t all = 0;
  for (const std::string& names : {options.checkpoint_on, options.stop_on})
    if (!names.empty()) all |= parse_signals(names);
  return all;
}

std::vector<std::string> lower_half_words(const run_options& options, const std::string& directory) {
  const std::set<std::string_view> given = given_options(options);
  check_relations(given);
  check_signals(options);
  std::vector<std::string> words{"--ckpt-dir", directory};
#define MANA_WORD(member, name, kind, default_value, value_name, taken_by, way, ...) \
  if (option::goes::way != option::goes::to_tool && std::string_view(name) != words[0] && given.contains(name)) \
    add<option::kind>(words, name, options.member);
  MANA_RUN_OPTIONS(MANA_WORD)
#undef MANA_WORD
  return words;
}

namespace {

/// Limits this process and its later programs. The lower half is limited too, which does not change its behaviour.
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
  hold_requests(request_signals(options));
  const auto program = check_program(options.command, get);
  const auto started_by = find_launcher(get);
  const mpi_evidence evidence{options.command[0], program.linked, started_by, options.mpi, parse_mpi_name(options.abi),
                              installed_mpis(), launchers_among(programs_of_ancestors())};
  const mpi_choice mpi = choose_mpi(evidence);
  const auto parts = find_parts(mpi);
  if (mpi.live) refuse_other_process_manager(*mpi.live, parts.lower_half, get);
  refuse_sanitized(program);
  check_kernel();
  limit_processor(options.cpu, get);
  const auto directory = prepare_checkpoint_directory(options.checkpoint_directory);

  // Tools come before the MPI library, as in the dynamic loader's order: their definitions come first.
  std::string preload;
  for (const auto& layer : program.layers) preload += layer.string() + ":";
  preload += parts.preload + make_stand_ins(mpi.abi, program.linked, directory);
  std::vector<std::string> arguments{"run", "--preload", preload, "--linked",
                                     program.linked.found.empty() ? "no" : "yes", "--abi", short_name(mpi.abi)};
  for (std::string& word : lower_half_words(options, directory.string())) arguments.push_back(std::move(word));
  arguments.insert(arguments.end(), {"--program", program.file.string()});
  arguments.insert(arguments.end(), {"--tool", std::filesystem::read_symlink("/proc/self/exe").string(), "--"});
  // The lower half loads the file that was checked, not another file that PATH may give.
  // with the name that the user typed
  arguments.insert(arguments.end(), program.arguments.begin(), program.arguments.end());
  if (options.verbose && started_by.rank <= 0)
    fmt::print(stderr, "mana: {}{}, checkpoints in {}\nmana: {} {}\n", described(mpi),
               !mpi.live ? " (a job of one process)" : started_by.mpi ? "" : " without mpirun (a single rank)", directory.string(), parts.lower_half.string(),
               fmt::join(arguments, " "));
  if (mpi.live && started_by.rank <= 0) warn(remark_on(*mpi.live, evidence));
  use_default_layout();
  become(parts.lower_half, arguments);
}

}  // namespace mana::tools
