// `mana compact`: makes the newest checkpoint whole.
#include "commands.hpp"
#include "option_checks.hpp"
#include "store_failure.hpp"
#include "text_table.hpp"

#include <compaction.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>

namespace mana::tools {
namespace {

constexpr int compact_schema = 1;      // raised when a member of the JSON changes its meaning or goes away

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

/// A line every other second, if it takes so long.
class reporter {
 public:
  void operator()(std::uint32_t done, std::uint32_t of) {
    const auto now = std::chrono::steady_clock::now();
    if (now - said_ < std::chrono::seconds(2)) return;
    said_ = now;
    const double s = std::chrono::duration<double>(now - begun_).count();
    fmt::print(stderr, "mana: {} of {} ranks, {:.0f} s, about {:.0f} s left\n", done, of, s,
               done == 0 ? 0 : s / done * (of - done));
  }

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now(), said_ = begun_;
};

}  // namespace

int compact(const compact_command& wanted) {
  try {
    reporter said;
    const auto done = store::compact(wanted.directory, image::parse_packing(wanted.compress),
                                     [&said](std::uint32_t ranks, std::uint32_t of) { said(ranks, of); },
                                     path_map_of(wanted.moved));
    fmt::print("{}", wanted.json ? as_json(done) : as_text(done, wanted.directory));
    return 0;
  } catch (const store::store_error& error) {
    fail_with(error);
  }
}

}  // namespace mana::tools
