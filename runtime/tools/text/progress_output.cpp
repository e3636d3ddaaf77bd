#include <runtime/tools/text/progress_output.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace mana::tools {

progress_output::progress_output(std::string command, bool wanted)
    : command_(std::move(command)), terminal_(::isatty(STDERR_FILENO) == 1), wanted_(wanted || terminal_) {}

progress_output::~progress_output() {
  meter_.reset();
  if (terminal_ && said_) std::fputs("\r\033[K", stderr);
}

progress_meter::sink progress_output::sink() {
  if (!wanted_) return {};
  return [this](const std::string& line) {
    said_ = true;
    // fputs, because a lost line needs no exception on this thread.
    std::fputs(fmt::format("{}{}: {}{}", terminal_ ? "\r" : "", command_, line, terminal_ ? "\033[K" : "\n").c_str(), stderr);
    std::fflush(stderr);
  };
}

void progress_output::begin(std::vector<work_part> parts) {
  using namespace std::chrono_literals;
  meter_.emplace(std::move(parts), sink(), 2s, 500ms);
}

store::work_listener progress_output::listener() {
  return {[this](const std::vector<store::work_size>& sizes) {
            std::vector<work_part> parts;
            for (const store::work_size& s : sizes) parts.push_back({s.name, s.bytes, 0});
            begin(std::move(parts));
          },
          [this](std::size_t part, std::uint64_t bytes) { add(part, bytes); }};
}

}  // namespace mana::tools
