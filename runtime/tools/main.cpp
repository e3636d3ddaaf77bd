// The command `mana`: reads its words, does what they say, and turns failures into a sentence and an exit status.
#include "command_line.hpp"
#include "commands.hpp"
#include "failure.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>

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

/// Every rank of a job meets the same failure: one of each node says so.
void report(const failure& failed) {
  const auto started_by = find_launcher(process_environment);
  if (started_by.node_rank != 0) return;
  fmt::print(stderr, "mana: error: {}\n", failed.what());
  if (!failed.remedy().empty()) fmt::print(stderr, "      {}\n", failed.remedy());
}

}  // namespace
}  // namespace mana::tools

int main(int argc, char** argv) {
  using namespace mana::tools;
  try {
    const auto configuration = [] { return find_configuration(process_environment); };
    return std::visit(execute{}, parse_command_line({argv + 1, argv + argc}, configuration));
  } catch (const failure& failed) {
    report(failed);
    return static_cast<int>(failed.code());
  } catch (const std::exception& error) {
    report(failure(exit_code::internal, error.what(), "this is a defect of mana: please report it"));
    return static_cast<int>(exit_code::internal);
  }
}
