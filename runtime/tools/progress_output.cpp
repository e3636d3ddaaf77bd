#include "progress_output.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace mana::tools {

progress_output::progress_output(std::string command, bool wanted)
    : command_(std::move(command)), terminal_(::isatty(STDERR_FILENO) == 1), wanted_(wanted || terminal_) {}

progress_output::~progress_output() {
  if (terminal_ && said_) fmt::print(stderr, "\r\033[K");
}

progress_meter::sink progress_output::sink() {
  if (!wanted_) return {};
  return [this](const std::string& line) {
    said_ = true;
    fmt::print(stderr, "{}{}: {}{}", terminal_ ? "\r" : "", command_, line, terminal_ ? "\033[K" : "\n");
    std::fflush(stderr);
  };
}

}  // namespace mana::tools
