#include <runtime/job/start_options.hpp>

#include <runtime/job/start_failure.hpp>

#include <algorithm>
#include <functional>
#include <string_view>

namespace mana::job {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw start_failure(exit_status::usage, what, "start programs with: mpirun -n RANKS mana run PROGRAM ARGS…",
                      met_by::all);
}

/// An option of the protocol, or of the table.
struct word {
  const char* name;
  bool has_value, inherited;                 // inherited: by the next program
  option::commands commands;
  option::relation needs, excludes;
  void (*read)(start_options& options, const std::string& text);
};

taken_along role(const std::string& text) {
  if (text == "rank") return taken_along::rank;
  if (text != "child") throw option::wrong_value("\"" + text + "\" is neither rank nor child");
  return taken_along::child;
}

template <class Kind>
void take(typename Kind::value& value, const std::string& text) {
  if constexpr (std::is_same_v<typename Kind::value, bool>) value = true;
  else if constexpr (requires { Kind::add(value, text); }) Kind::add(value, text);
  else value = Kind::parse(text);
}

using o = start_options&;
using t = const std::string&;

/// Describe the process, and the process before it.
constexpr word protocol[] = {
    {"--preload", true, false, option::commands::both, {}, {}, [](o options, t text) { options.preload = text; }},
    {"--linked", true, false, option::commands::both, {}, {}, [](o options, t text) { options.is_linked_with_mpi = text != "no"; }},
    {"--abi", true, false, option::commands::both, {}, {}, [](o options, t text) { options.abi = text; }},
    {"--tool", true, true, option::commands::both, {}, {}, [](o options, t text) { options.tool = text; }},
    {"--program", true, false, option::commands::both, {}, {}, [](o options, t text) { options.program = text; }},
    {"--taken-along", true, false, option::commands::both, {}, {}, [](o options, t text) { options.as = role(text); }},
    {"--mask", true, false, option::commands::both, {}, {}, [](o options, t text) { options.mask = option::signals::parse(text); }},
    {"--filtered", true, false, option::commands::both, {}, {}, [](o options, t text) { options.filtered = text; }},
    {"--launcher", true, false, option::commands::both, {}, {}, [](o options, t text) { options.launcher = text; }},
    {"--input-count", true, false, option::commands::both, {}, {},
     [](o options, t text) { options.input_count = text == "-1" ? -1 : static_cast<int>(option::number_within(text, 0, INT32_MAX)); }},
};

#define MANA_WORD(member, name, kind, default_value, value_name, taken_by, way, needs, excludes, ...) \
  {name, !std::is_same_v<option::kind, option::flag>, option::goes::way == option::goes::to_job, option::commands::taken_by, \
   needs, excludes, [](o options, [[maybe_unused]] t text) { take<option::kind>(options.member, text); }},

std::span<const word> words_of_options() {
  using namespace option;
  static constexpr word all[] = {MANA_RUN_OPTIONS(MANA_WORD)};
  return all;
}

#undef MANA_WORD

const word* find(std::string_view name) {
  for (const std::span<const word> words : {std::span<const word>(protocol), words_of_options()})
    if (const auto found = std::ranges::find(words, name, [](const word& w) { return std::string_view(w.name); }); found != words.end())
      return &*found;
  return nullptr;
}

class reader {
 public:
  explicit reader(const std::vector<std::string>& words) : words_(words) { options_.restart = words[0] == "restart"; }

  start_options run() {
    for (std::size_t i = 1; i < words_.size();) {
      if (!options_.restart && words_[i] == "--") {
        options_.command.assign(words_.begin() + static_cast<std::ptrdiff_t>(i) + 1, words_.end());
        break;
      }
      if (read_option(i)) continue;
      if (!options_.restart || !options_.generation.empty()) refuse("unknown word \"" + words_[i] + "\"");
      options_.generation = words_[i++];
    }
    check_complete();
    return std::move(options_);
  }

 private:
  /// Reads the option at words[i] and moves i behind it. out: false if words[i] is no option
  bool read_option(std::size_t& i) {
    const std::string& name = words_[i];
    const word* const known = find(name);
    if (known == nullptr) return false;
    if (known->commands == (options_.restart ? option::commands::run : option::commands::restart))
      refuse(name + " belongs to " + (options_.restart ? "run" : "restart"));
    const std::size_t end = i + (known->has_value ? 2 : 1);
    if (end > words_.size()) refuse(name + ": its value is missing");
    try {
      known->read(options_, words_[end - 1]);
    } catch (const option::wrong_value& wrong) {
      refuse(name + ": " + wrong.what());
    }
    given_.push_back(known);
    if (known->inherited) options_.inherited.insert(options_.inherited.end(), &words_[i], &words_[0] + end);
    i = end;
    return true;
  }

  bool is_given(std::string_view name) const {
    return std::ranges::any_of(given_, [&](const word* w) { return w->name == name; });
  }

  void check_complete() const {
    if (options_.checkpoint_directory.empty() || !is_given("--ckpt-dir")) refuse("--ckpt-dir is missing");
    if (options_.restart && options_.generation.empty()) refuse("restart: the checkpoint is missing");
    if (!options_.restart && options_.command.empty()) refuse("run: the program is missing");
    if (!options_.restart && options_.preload.empty()) refuse("run: --preload is missing");
    for (const word* w : given_) {
      if (*w->needs.other != '\0' && !is_given(w->needs.other)) refuse(std::string(w->name) + ": " + w->needs.other + " is missing");
      if (*w->excludes.other != '\0' && is_given(w->excludes.other))
        refuse(std::string(w->name) + " and " + w->excludes.other + " exclude each other");
    }
  }

  const std::vector<std::string>& words_;
  start_options options_;
  std::vector<const word*> given_;
};

}  // namespace

image::saving saving_of(const job_options& options) {
  return {options.compress, options.incremental, options.full_every, options.max_rate, options.by_reference, options.nice};
}

start_options parse_start_options(const std::vector<std::string>& words) {
  if (words.empty() || (words[0] != "run" && words[0] != "restart"))
    refuse("this program is a part of mana: start it with `mana run`");
  return reader(words).run();
}

}  // namespace mana::job
