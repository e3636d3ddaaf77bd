// INV-99: each row of the table of commands, through the command line, to the command's structure; and no option without a row.
#include <runtime/tools/options/command_app.hpp>
#include <runtime/tools/options/option_words.hpp>

#include <doctest/doctest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

namespace tools_command_table_tests {

using namespace mana::tools;
namespace option = mana::option;
using words = std::vector<std::string>;

namespace {

/// A value that is no default, as one types it.
template <class Kind>
words sample(const std::string& name) {
  if constexpr (std::is_same_v<Kind, option::flag>) return {name};
  else if constexpr (std::is_same_v<Kind, option::duration>) return {name, "12.5"};
  else if constexpr (std::is_same_v<Kind, option::packing>) return {name, "zstd:3"};
  else if constexpr (std::is_same_v<Kind, option::path_rules>) return {name, "/a=/b"};
  else if constexpr (std::is_same_v<Kind, option::memory_range>) return {name, "0x1000-0x2000"};
  else if constexpr (std::is_same_v<Kind, option::wait_place>) return {name, "local"};
  else if constexpr (std::is_same_v<Kind, option::live_mpi_name>) return {name, "none"};
  else if constexpr (std::is_same_v<Kind, option::abi_name>) return {name, "mpich"};
  else if constexpr (std::is_same_v<Kind, option::new_file>) return {name.substr(0, name.find(',')), "/f"};
  else if constexpr (std::is_same_v<Kind, option::shell_name>) return {"fish"};
  else if constexpr (std::is_same_v<Kind, option::process_or_core>) return {"12"};
  else if constexpr (std::is_same_v<Kind, option::words_behind>) return {"12", "word"};
  else return name.starts_with("--") ? words{name, "3"} : words{"/d"};
}

template <class Kind>
constexpr bool must_be_given = std::is_same_v<Kind, option::thing> || std::is_same_v<Kind, option::new_file> ||
                               std::is_same_v<Kind, option::shell_name>;

std::string text_of(const job_reference& job) { return job.file + " " + job.checkpoint_directory; }
std::string text_of(const address_range& range) { return fmt::format("{}-{}", range.begin, range.end); }
std::string text_of(const words& all) { return fmt::format("{}", fmt::join(all, " ")); }
template <class Number>
std::string text_of(const std::optional<Number>& n) { return n ? fmt::format("{}", *n) : ""; }
template <class T>
std::string text_of(const T& value) { return fmt::format("{}", value); }

struct row {
  std::string of, name;            // the command, and its option
  words given;
  bool is_needed, is_option;
  std::function<std::string(const command&)> value;        // of its member
};

std::vector<row> rows() {
  std::vector<row> all;
#define MANA_SAMPLE(member, name, kind, ...) \
  all.push_back({command_name, name, sample<option::kind>(name), must_be_given<option::kind>, \
                 !std::is_same_v<option::kind, option::words_behind>, \
                 [](const command& c) { return text_of(std::get<own>(c).member); }});
#define MANA_SAMPLES(name, ...) \
  { \
    using own = name##_command; \
    const std::string command_name = typed(#name); \
    MANA_OPTIONS_##name(MANA_SAMPLE) \
  }
  MANA_COMMANDS(MANA_SAMPLES)
#undef MANA_SAMPLES
#undef MANA_SAMPLE
  return all;
}

/// The shortest line of the command that has this row's sample, or none.
/// in: part  what is to be extracted, where that is none of the samples
words line_of(const std::vector<row>& all, const std::string& command, const row* with, const char* part = "--all") {
  words line{command};
  const auto add = [&line](const words& more) { line.insert(line.end(), more.begin(), more.end()); };
  for (const row& r : all)
    if (r.of == command && (r.is_needed || &r == with)) add(r.given);
  const std::set<std::string> parts{"--section", "--range", "--core", "--all"};
  if (command == "extract" && (with == nullptr || !parts.contains(with->name))) line.push_back(part);
  if (command == "gdb" && with == nullptr) line.push_back("34");
  return line;
}

/// What options a kind brings besides its own.
const std::set<std::string> implied{"--help", "--ckpt-dir", "--no-config", "--job"};

}  // namespace

TEST_CASE("what a row says comes to its member") {
  const auto all = rows();
  CHECK(all.size() > 40);
  for (const row& r : all) {
    CAPTURE(r.of);
    CAPTURE(r.name);
    words with = line_of(all, r.of, &r), without = line_of(all, r.of, nullptr, r.name == "--all" ? "--core" : "--all");
    if (r.is_needed) {
      CHECK_THROWS(parse_command_line({r.of}));
      CHECK(r.value(parse_command_line(with)) == r.given.back());
    } else {
      CHECK(r.value(parse_command_line(with)) != r.value(parse_command_line(without)));
    }
  }
}

TEST_CASE("a command has the options of its rows, and no others") {
  CLI::App app;
  parsed values;
  build_app(app, values);
  const auto all = rows();
  for (const CLI::App* command : commands_of(app)) {
    if (command->get_name() == "run" || command->get_name() == "restart") continue;
    CAPTURE(command->get_name());
    std::set<std::string> there, said;
    for (const option_words& o : options_of(*command))
      if (!implied.contains(o.names.back())) CHECK(there.insert(o.names.back()).second);
    for (const row& r : all)
      if (r.of == command->get_name() && r.is_option && !implied.contains(r.name))
        CHECK(said.insert(r.name.substr(r.name.find(',') + 1)).second);
    CHECK(there == said);
  }
}

}  // namespace tools_command_table_tests
