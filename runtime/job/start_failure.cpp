#include <runtime/job/start_failure.hpp>

#include <runtime/words/error_text.hpp>
#include <runtime/words/mpi_families.hpp>

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace mana::job {

std::string start_failure::text() const { return words::error_text(what(), remedy_); }

namespace {

/// out: the number in the first of these launcher variables that is set, or in this variable of Slurm
std::optional<int> number_in_environment(const char* const* mpi_family::* names, const char* of_slurm) noexcept {
  std::optional<int> found;
  const auto read = [&](const char* text) {
    int number = 0;
    const auto end = text + std::strlen(text);
    if (std::from_chars(text, end, number).ptr == end && number >= 0) found = number;
    return found.has_value();
  };
  if (!first_variable(names, std::getenv, read))
    if (const char* const text = std::getenv(of_slurm)) read(text);
  return found;
}

bool alone = false;

std::optional<int> launcher_s_rank() noexcept {
  if (alone) return std::nullopt;
  return number_in_environment(&mpi_family::rank, "SLURM_PROCID");
}

}  // namespace

void be_alone() noexcept { alone = true; }

int rank_from_environment() noexcept { return launcher_s_rank().value_or(0); }

std::optional<int> size_from_environment() noexcept {
  if (!launcher_s_rank()) return 1;
  const auto size = number_in_environment(&mpi_family::size, "SLURM_STEP_NUM_TASKS");
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

}  // namespace mana::job
