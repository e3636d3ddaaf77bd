#include <runtime/job/start_failure.hpp>

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace mana::run {

std::string start_failure::text() const {
  std::string all = std::string("mana: error: ") + what();
  if (!remedy_.empty()) all += "\n      " + remedy_;
  return all;
}

namespace {

/// The first of these variables that holds a number.
std::optional<int> number_in_environment(std::initializer_list<const char*> names) noexcept {
  for (const char* name : names) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    int number = 0;
    const auto end = text + std::strlen(text);
    if (std::from_chars(text, end, number).ptr == end && number >= 0) return number;
  }
  return std::nullopt;
}

bool alone = false;

std::optional<int> launcher_s_rank() noexcept {
  if (alone) return std::nullopt;
  return number_in_environment({"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"});
}

}  // namespace

void be_alone() noexcept { alone = true; }

int rank_from_environment() noexcept { return launcher_s_rank().value_or(0); }

std::optional<int> size_from_environment() noexcept {
  if (!launcher_s_rank()) return 1;
  const auto size = number_in_environment({"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"});
  return size && *size > rank_from_environment() ? size : std::nullopt;
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
