#include "start_failure.hpp"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace mana::run {

std::string start_failure::text() const {
  std::string all = std::string("mana: error: ") + what();
  if (!remedy_.empty()) all += "\n      " + remedy_;
  return all;
}

int rank_from_environment() noexcept {
  for (const char* name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    int rank = 0;
    const auto end = text + std::strlen(text);
    if (std::from_chars(text, end, rank).ptr == end && rank >= 0) return rank;
  }
  return 0;
}

void say(const std::string& line) noexcept {
  const std::string whole = line + "\n";
  const char* at = whole.data();
  std::size_t left = whole.size();
  while (left > 0) {
    const ssize_t n = write(STDERR_FILENO, at, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    at += n;
    left -= static_cast<std::size_t>(n);
  }
}

}  // namespace mana::run
