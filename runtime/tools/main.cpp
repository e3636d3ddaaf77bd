// The command `mana`: reads its words, does what they say, and turns failures into a sentence and an exit status.
#include "command_line.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "launcher.hpp"

#include <rank_end.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <string_view>

namespace mana::tools {
namespace {

const char* process_environment(const char* name) { return std::getenv(name); }

struct execute {
  int operator()(const show_text& shown) const {
    fmt::print("{}", shown.text);
    return 0;
  }
  int operator()(const run_command& wanted) const { run(wanted.options, process_environment); }
  int operator()(const restart_command& wanted) const { restart(wanted.options, process_environment); }
  int operator()(const checkpoint_command& wanted) const { return take_checkpoint(wanted); }
  int operator()(const status_command& wanted) const { return show_status(wanted); }
  int operator()(const gdb_command& wanted) const { debug(wanted, process_environment); }
  int operator()(const doctor_command& wanted) const { return examine(wanted, process_environment); }
  int operator()(const list_command& wanted) const { return list(wanted); }
  int operator()(const inspect_command& wanted) const { return inspect(wanted); }
  int operator()(const diff_command& wanted) const { return diff(wanted); }
  int operator()(const extract_command& wanted) const { return extract(wanted); }
  int operator()(const completion_command& wanted) const { return complete(wanted); }
  int operator()(const verify_command& wanted) const { return verify(wanted); }
  int operator()(const prune_command& wanted) const { return prune(wanted); }
  int operator()(const compact_command& wanted) const { return compact(wanted); }
};

std::string text_of(const failure& failed) {
  const std::string text = fmt::format("mana: error: {}", failed.what());
  return failed.remedy().empty() ? text : fmt::format("{}\n      {}", text, failed.remedy());
}

/// Most often every rank of a job meets the same failure: one of each node says so.
[[noreturn]] void end_rank(const failure& failed, const launcher& started_by) {
  const bool is_first = started_by.node_rank == 0;
  const std::string text = text_of(failed);
  run::end_rank(is_first ? text : fmt::format("{} (rank {})", text, started_by.rank), static_cast<int>(failed.code()),
                is_first ? run::speaker::this_rank : run::speaker::another);
}

/// Other commands are about a job, and not part of one, whoever runs them.
bool is_rank(int argc, char** argv) {
  if (argc < 2) return false;
  const std::string_view command = argv[1];
  return command == "run" || command == "restart";
}

int end(const failure& failed, bool is_of_job) {
  const launcher started_by = find_launcher(process_environment);
  if (is_of_job) end_rank(failed, started_by);
  if (started_by.node_rank == 0) fmt::print(stderr, "{}\n", text_of(failed));
  return static_cast<int>(failed.code());
}

}  // namespace
}  // namespace mana::tools

int main(int argc, char** argv) {
  using namespace mana::tools;
  try {
    const auto configuration = [] { return find_configuration(process_environment); };
    return std::visit(execute{}, parse_command_line({argv + 1, argv + argc}, configuration));
  } catch (const failure& failed) {
    return end(failed, is_rank(argc, argv));
  } catch (const std::exception& error) {
    return end(failure(exit_code::internal, error.what(), "this is a defect of mana: please report it"), is_rank(argc, argv));
  }
}
