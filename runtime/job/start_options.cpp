#include <runtime/job/start_options.hpp>

#include <runtime/job/start_failure.hpp>

#include <mana/clock/policies.hpp>

#include <runtime/redundancy/redundancy_error.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

namespace mana::run {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw start_failure(exit_status::usage, what, "start programs with: mpirun -n RANKS mana run PROGRAM ARGS…",
                      met_by::all);
}

double number(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0))
    refuse(option + ": \"" + text + "\" is not a number of seconds");
  return value;
}

std::uint64_t signals(const std::string& option, const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    refuse(option + ": \"" + text + "\" is no set of signals");
  return value;
}

int fan_out(const std::string& option, const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !clock::is_fan_out(value))
    refuse(option + ": \"" + text + "\" is not a number from " + std::to_string(clock::least_fan_out) + " to " +
           std::to_string(clock::most_fan_out));
  return value;
}

template <class T>
T whole_number(const std::string& option, const std::string& text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    refuse(option + ": \"" + text + "\" is no whole number");
  return value;
}

int stopped_status(const std::string& option, const std::string& text) {
  const int value = whole_number<int>(option, text);
  if (value > 255) refuse(option + ": \"" + text + "\" is no exit status");
  return value;
}

redundancy::scheme redundancy_scheme(const std::string& option, const std::string& text) {
  try {
    return redundancy::scheme::parse(text);
  } catch (const redundancy::redundancy_error& error) {
    refuse(option + ": " + error.what());
  }
}

image::packing compression(const std::string& option, const std::string& text) {
  try {
    return image::parse_packing(text);
  } catch (const std::invalid_argument& error) {
    refuse(option + ": " + error.what());
  }
}

unsigned pack_threads(const std::string& option, const std::string& text) {
  try {
    return image::parse_pack_threads(text);
  } catch (const std::invalid_argument& error) {
    refuse(option + ": " + error.what());
  }
}

std::size_t keep(const std::string& option, const std::string& text) {
  try {
    return store::parse_keep(text);
  } catch (const std::invalid_argument& error) {
    refuse(option + ": " + error.what());
  }
}

std::string clock_name(const std::string& option, const std::string& text) {
  if (!clock::with_policy(text, []<class P>() {})) refuse(option + ": there is no clock policy " + text);
  return text;
}

loss_policy policy(const std::string& option, const std::string& text) {
  if (text == "warn") return loss_policy::warn;
  if (text == "refuse") return loss_policy::refuse;
  if (text != "ignore") refuse(option + ": \"" + text + "\" is none of warn, refuse, ignore");
  return loss_policy::ignore;
}

void add_moved(const std::string& option, const std::string& text, start_options& options) {
  if (!options.restart) refuse(option + " belongs to restart");
  try {
    options.moved.add(text);
  } catch (const paths::path_map_error& error) {
    refuse(option + ": " + error.what());
  }
}

taken_along role(const std::string& option, const std::string& text) {
  if (text == "rank") return taken_along::rank;
  if (text != "child") refuse(option + ": \"" + text + "\" is neither rank nor child");
  return taken_along::child;
}

/// What this process was before, and what it may become.     returns false if it is none of these
bool read_execution_option(const std::string& name, const std::string& value, start_options& options) {
  if (name == "--tool") options.tool = value;
  else if (name == "--linked") options.is_linked_with_mpi = value != "no";
  else if (name == "--program") options.program = value;
  else if (name == "--taken-along") options.as = role(name, value);
  else if (name == "--mask") options.mask = signals(name, value);
  else if (name == "--filtered") options.filtered = value;
  else if (name == "--stdin") options.input = value;
  else if (name == "--input-count") options.input_count = value == "-1" ? -1 : whole_number<int>(name, value);
  else if (name == "--launcher") options.launcher = value;
  else return false;
  return true;
}

/// Of this one execution only, or made anew for each.
bool is_inherited(const std::string& name) {
  static constexpr std::string_view own[] = {"--preload",  "--linked", "--program", "--taken-along", "--mask",
                                             "--filtered", "--stdin",
                                             "--launcher",      "--input-count"};
  return std::find(std::begin(own), std::end(own), name) == std::end(own);
}

/// Reads the option at words[i] and leaves i behind it. returns false if it is none.
bool read_option(const std::vector<std::string>& words, std::size_t& i, start_options& options) {
  const std::string& name = words[i];
  if (name == "--verbose") { options.verbose = true; ++i; return true; }
  if (name == "--perf-map") { options.perf_map = true; ++i; return true; }
  if (name == "--incremental") { options.saving.incremental = true; ++i; return true; }
  if (name == "--by-reference") { options.saving.by_reference = true; ++i; return true; }
  if (name == "--forked") { options.forked = true; ++i; return true; }
  if (name == "--lazy" && options.restart) { options.lazy = true; ++i; return true; }
  if (name == "--progress" && options.restart) { options.progress = true; ++i; return true; }
  static constexpr std::string_view known[] = {"--ckpt-dir",   "--interval",      "--limit",
                                               "--preload",    "--stop-after",    "--checkpoint-on",
                                               "--stop-on",    "--clock",         "--clock-trace",
                                               "--fan-out",    "--children",      "--sockets",
                                               "--map",        "--cpu",           "--compress",
                                               "--full-every", "--max-rate",      "--nice",
                                               "--keep",       "--local",         "--redundancy",
                                               "--pack-threads", "--copy-every",  "--stopped-status", "--tool",
                                               "--program",    "--taken-along",   "--mask",
                                               "--filtered",   "--stdin",         "--launcher", "--input-count",
                                               "--linked"};
  if (std::find(std::begin(known), std::end(known), name) == std::end(known)) return false;
  if (i + 1 >= words.size()) refuse(name + ": its value is missing");
  const std::string& value = words[i + 1];
  if (name == "--ckpt-dir") options.checkpoint_directory = value;
  else if (name == "--interval") options.interval_s = number(name, value);
  else if (name == "--limit") options.limit_s = number(name, value);
  else if (name == "--stop-after") options.stop_after_s = number(name, value);
  else if (name == "--stopped-status") options.stopped_status = stopped_status(name, value);
  else if (name == "--checkpoint-on") options.checkpoint_signals = signals(name, value);
  else if (name == "--stop-on") options.stop_signals = signals(name, value);
  else if (name == "--clock") options.clock = clock_name(name, value);
  else if (name == "--clock-trace") options.clock_trace = value;
  else if (name == "--fan-out") options.fan_out = fan_out(name, value);
  else if (name == "--children") options.children = policy(name, value);
  else if (name == "--sockets") options.sockets = policy(name, value);
  else if (name == "--cpu") options.cpu = value;
  else if (name == "--compress") options.saving.how = compression(name, value);
  else if (name == "--full-every") options.saving.full_every = whole_number<unsigned>(name, value);
  else if (name == "--max-rate") options.saving.most_per_s = whole_number<std::uint64_t>(name, value);
  else if (name == "--keep") options.keep = keep(name, value);
  else if (name == "--local") options.local = value;
  else if (name == "--copy-every") options.copy_every = whole_number<unsigned>(name, value);
  else if (name == "--redundancy") options.redundancy = redundancy_scheme(name, value);
  else if (name == "--pack-threads") options.pack_threads = pack_threads(name, value);
  else if (name == "--nice") options.saving.nice = whole_number<int>(name, value);
  else if (name == "--map") add_moved(name, value, options);
  else if (!read_execution_option(name, value, options)) options.preload = value;
  i += 2;
  return true;
}

void check_complete(const start_options& options) {
  if (options.checkpoint_directory.empty()) refuse("--ckpt-dir is missing");
  if (options.restart && options.generation.empty()) refuse("restart: the checkpoint is missing");
  if (!options.restart && options.command.empty()) refuse("run: the program is missing");
  if (!options.restart && options.preload.empty()) refuse("run: --preload is missing");
  if (options.redundancy.parity == 0) return;
  if (options.local.empty()) refuse("--redundancy: --local is missing");
  if (options.forked) refuse("--redundancy and --forked exclude each other");
}

}  // namespace

start_options parse_start_options(const std::vector<std::string>& words) {
  if (words.empty() || (words[0] != "run" && words[0] != "restart"))
    refuse("this program is a part of mana that `mana run` starts");
  start_options options;
  options.restart = words[0] == "restart";
  for (std::size_t i = 1; i < words.size();) {
    if (!options.restart && words[i] == "--") {
      options.command.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    const std::size_t at = i;
    if (read_option(words, i, options)) {
      if (is_inherited(words[at])) options.inherited.insert(options.inherited.end(), &words[at], &words[0] + i);
      continue;
    }
    if (!options.restart || !options.generation.empty()) refuse("unknown word \"" + words[i] + "\"");
    options.generation = words[i++];
  }
  check_complete(options);
  return options;
}

}  // namespace mana::run
