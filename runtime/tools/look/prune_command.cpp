// `mana prune`: removes checkpoints that are no longer needed.
#include <runtime/tools/options/commands.hpp>
#include <runtime/words/exit_status.hpp>
#include <runtime/tools/text/progress_output.hpp>
#include <runtime/tools/text/safe_name.hpp>
#include <runtime/tools/text/store_failure.hpp>
#include <runtime/tools/text/text_table.hpp>

#include <runtime/store/store.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mana::tools {
namespace {

constexpr int prune_schema = 1;      // raised when a member of the JSON changes its meaning or is removed

std::string as_json(const prune_command& wanted, const store::prune_result& done) {
  const nlohmann::ordered_json json{{"schema", prune_schema}, {"directory", wanted.directory}, {"dry_run", wanted.dry_run},
                                    {"removed", done.removed}, {"bytes", done.bytes}, {"problems", done.problems}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string as_text(const prune_command& wanted, const store::prune_result& done) {
  std::string text;
  for (const std::uint64_t number : done.removed)
    text += fmt::format("checkpoint {} {}\n", number, wanted.dry_run ? "would be removed" : "is removed");
  text += fmt::format("{}: {} of {} checkpoints\n", wanted.dry_run ? "to be freed" : "freed", human_bytes(done.bytes),
                      done.removed.size());
  for (const std::string& problem : done.problems) text += fmt::format("mana: warning: {}\n", shown(problem));
  return text;
}

store::prune_result pruned(const prune_command& wanted) {
  progress_output output("prune", wanted.progress);
  return store::prune(wanted.directory, store::parse_keep(wanted.keep), wanted.dry_run, output.listener());
}

}  // namespace

int prune(const prune_command& wanted) {
  try {
    const auto done = pruned(wanted);
    fmt::print("{}", wanted.json ? as_json(wanted, done) : as_text(wanted, done));
    return static_cast<int>(done.problems.empty() ? exit_status::success : exit_status::not_removed);
  } catch (const store::store_error& error) {
    fail_with(error);
  }
}

}  // namespace mana::tools
