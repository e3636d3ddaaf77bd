// INV-96: each row of the table of options, through the command line, to the lower half.
#include <runtime/tools/options/command_line.hpp>

#include <runtime/job/start_options.hpp>

#include "../temporary_directory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

namespace tools_option_table_tests {

using namespace mana;
using words = std::vector<std::string>;

namespace {

/// A value that is no default, as one types it.
template <class Kind>
std::string sample(const std::filesystem::path& file) {
  if constexpr (std::is_same_v<Kind, option::duration>) return "12.5";
  else if constexpr (std::is_same_v<Kind, option::size>) return "3M";
  else if constexpr (std::is_same_v<Kind, option::tag_bound>) return "40000";
  else if constexpr (std::is_same_v<Kind, option::live_mpi_name>) return "none";
  else if constexpr (std::is_same_v<Kind, option::abi_name>) return "mpich";
  else if constexpr (std::is_same_v<Kind, option::scheme>) return "2+1";
  else if constexpr (std::is_same_v<Kind, option::path_rules>) return "/a=/b";
  else if constexpr (std::is_same_v<Kind, option::input_file>) return file;
  else if constexpr (std::is_same_v<Kind, option::trace_directory>) return file.parent_path() / "traces";
  else if constexpr (std::is_same_v<Kind, option::file_name> || std::is_same_v<Kind, option::local_directory>) return "/d";
  else if constexpr (requires { Kind::choices(); }) return Kind::choices().back();
  else return "3";
}

struct given_row {
  std::string name, value;
  bool is_flag;
  option::commands commands;
  option::goes goes;
  option::relation needs, excludes;
};

/// in: signal  another for each option that names one
std::vector<given_row> rows(const std::filesystem::path& file) {
  using namespace option;
#define MANA_SAMPLE(member, name, kind, default_value, value_name, taken_by, way, needs, excludes, ...) \
  {name, std::string(name) == "--stop-on" ? "USR2" : std::is_same_v<option::kind, option::signals> ? "USR1" \
                                                                                                 : sample<option::kind>(file), \
   std::is_same_v<option::kind, option::flag>, option::commands::taken_by, option::goes::way, needs, excludes},
  return {MANA_RUN_OPTIONS(MANA_SAMPLE)};
#undef MANA_SAMPLE
}

words line_of(const std::vector<given_row>& rows, option::commands other) {
  words line;
  for (const given_row& r : rows) {
    if (r.commands == other) continue;
    if (std::ranges::any_of(rows, [&](const given_row& x) { return r.name == x.excludes.other; })) continue;
    line.push_back(r.name);
    if (!r.is_flag) line.push_back(r.value);
  }
  return line;
}

void check_goes_over(const std::vector<given_row>& all, const words& line, const tools::run_options& options, words lower) {
  const words over = tools::lower_half_words(options, "/d");
  lower.insert(lower.end(), over.begin(), over.end());
  if (lower[0] == "run") lower.insert(lower.end(), {"--preload", "/l", "--", "./app"});
  const job::start_options understood = job::parse_start_options(lower);
  CHECK(understood.verbose);
  for (const given_row& r : all) {
    CAPTURE(r.name);
    const auto among = [&](const words& list) { return std::ranges::find(list, r.name) != list.end(); };
    if (!among(line)) continue;
    CHECK(among(over) == (r.goes != option::goes::to_tool));
    CHECK(among(understood.inherited) == (r.goes == option::goes::to_job));
  }
}

}  // namespace

TEST_CASE("what the command line takes, the lower half understands") {
  const temporary_directory own;
  const auto all = rows(own.write("input", ""));
  words run = line_of(all, option::commands::restart), restart = line_of(all, option::commands::run);
  run.insert(run.begin(), "run");
  run.push_back("./app");
  restart.insert(restart.begin(), "restart");
  check_goes_over(all, run, std::get<tools::run_command>(tools::parse_command_line(run)).options, {"run"});
  check_goes_over(all, restart, std::get<tools::restart_command>(tools::parse_command_line(restart)).options, {"restart", "/d"});
}

TEST_CASE("what an option needs, or excludes, is said of it wherever it is given") {
  const temporary_directory own;
  for (const given_row& r : rows(own.write("input", ""))) {
    if (*r.needs.other == '\0') continue;
    CAPTURE(r.name);
    const auto alone = std::get<tools::run_command>(tools::parse_command_line({"run", r.name, r.value, "./app"})).options;
    CHECK_THROWS(tools::lower_half_words(alone, "/d"));
    CHECK_THROWS_AS(job::parse_start_options({"run", "--ckpt-dir", "/d", r.name, r.value, "--preload", "/l", "--", "./app"}),
                    job::start_failure);
  }
}

TEST_CASE("an option is in one row") {
  const temporary_directory own;
  std::set<std::string> names;
  for (const given_row& r : rows(own.write("input", ""))) CHECK(names.insert(r.name).second);
}

}  // namespace tools_option_table_tests
