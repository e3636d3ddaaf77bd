#include <runtime/tools/job/checkpoint_progress.hpp>

#include <runtime/tools/text/text_table.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace mana::tools {
namespace {

double share(std::uint64_t done, std::uint64_t bytes) {
  return bytes == 0 ? 0 : 100 * static_cast<double>(std::min(done, bytes)) / static_cast<double>(bytes);
}

/// out: the first rank that the checkpoint waits for, in one line
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string checkpoint_progress::line(const std::string& json, double now_s) {
  const auto said = nlohmann::json::parse(json);
  const std::string phase = said["phase"];
  const auto bytes = said.value("bytes", std::uint64_t{0}), done = said.value("done", std::uint64_t{0});
  if (bytes == 0) {
    std::string line = fmt::format("{} for {}", phase, human_seconds(said.value("seconds", 0.0)));
    const std::string who = first_line(said.value("waiting_for", ""));
    return who.empty() ? line : line + ", waiting: " + who;
  }
  if (!begun_ || bytes != bytes_ || done < done_) {
    begun_ = true;
    first_done_ = done;
    first_s_ = now_s;
  }
  bytes_ = bytes;
  done_ = done;
  std::string line = fmt::format("{}, {:.0f} % of {}", phase, share(done, bytes), human_bytes(bytes));
  if (now_s > first_s_) {
    const double rate = static_cast<double>(done - first_done_) / (now_s - first_s_);
    line += fmt::format(", {}/s", human_bytes(static_cast<unsigned long long>(rate)));
    if (rate > 0) line += fmt::format(", {} left", human_seconds(static_cast<double>(bytes - std::min(done, bytes)) / rate));
  }
  if (said.contains("slowest_rank") && said["slowest_done"] < said["slowest_bytes"])
    line += fmt::format("; slowest: rank {}, {:.0f} %", said["slowest_rank"].get<int>(),
                        share(said["slowest_done"], said["slowest_bytes"]));
  return line;
}

}  // namespace mana::tools
