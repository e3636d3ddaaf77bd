// `mana compact`: makes the newest checkpoint independent of older ones.
#include <runtime/tools/options/commands.hpp>
#include <runtime/tools/options/option_checks.hpp>
#include <runtime/tools/text/progress_output.hpp>
#include <runtime/tools/text/store_failure.hpp>
#include <runtime/tools/text/text_table.hpp>

#include <runtime/image/write/pack_crew.hpp>
#include <runtime/job/save/idle_cores.hpp>
#include <runtime/store/compaction.hpp>
#include <runtime/words/processors.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace mana::tools {
namespace {

constexpr int compact_schema = 1;      // raised when a member of the JSON changes its meaning or is removed

std::string as_json(const store::compact_result& done) {
  const nlohmann::ordered_json json{{"schema", compact_schema}, {"from", done.from}, {"to", done.to},
                                    {"builds_on", done.builds_on}, {"by_reference", done.by_reference},
                                    {"bytes_before", done.bytes_before}, {"bytes_after", done.bytes_after}};
  return json.dump(2) + "\n";
}

std::string as_text(const store::compact_result& done, const std::string& directory) {
  if (done.to == 0) return fmt::format("checkpoint {} is whole already\n", done.from);
  const std::string needed = done.builds_on.empty() ? "" : fmt::format(" and built on {}", fmt::join(done.builds_on, ", "));
  return fmt::format("checkpoint {} is checkpoint {} made whole: {}, which had {}{}{}\n"
                     "what it does not need goes by: mana prune {} --keep 1\n",
                     done.to, done.from, human_bytes(done.bytes_after), human_bytes(done.bytes_before), needed,
                     done.by_reference ? " and needed files of the program's" : "", directory);
}

/// out: all cores that this command may use, at most as many as one reading and writing thread keeps busy. Other
///      programs on the machine are not known.
unsigned threads_here() {
  return std::clamp(static_cast<unsigned>(processor_count()), 1u, static_cast<unsigned>(job::most_packing));
}

store::compact_how how_of(const compact_command& wanted) {
  const unsigned threads = image::parse_pack_threads(wanted.pack_threads);
  return {image::parse_packing(wanted.compress), threads == 0 ? threads_here() : threads};
}

store::compact_result compacted(const compact_command& wanted) {
  progress_output output("compact", wanted.progress);
  return store::compact(wanted.directory, how_of(wanted), output.listener(), path_map_of(wanted.moved));
}

}  // namespace

int compact(const compact_command& wanted) {
  try {
    const auto done = compacted(wanted);
    fmt::print("{}", wanted.json ? as_json(done) : as_text(done, wanted.directory));
    return 0;
  } catch (const store::store_error& error) {
    fail_with(error);
  }
}

}  // namespace mana::tools
