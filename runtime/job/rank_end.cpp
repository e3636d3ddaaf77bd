#include <runtime/job/rank_end.hpp>

#include <runtime/words/last_words.hpp>
#include <runtime/words/mpi_families.hpp>

#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace mana::job {
namespace {

bool launcher_ends_jobs() noexcept {
  return first_variable(&mpi_family::ends_jobs, std::getenv, [](const char*) { return true; });
}

void await_end() noexcept {
  timespec left{others_speak_ms / 1000, others_speak_ms % 1000 * 1'000'000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
}

/// Tells nobody if the descriptor is no longer the process manager's socket.
void tell_process_manager(int status) noexcept {
  const char* const text = std::getenv("PMI_FD");
  if (text == nullptr) return;
  int fd = -1;
  const char* const end = text + std::strlen(text);
  if (std::from_chars(text, end, fd).ptr != end || fd < 0) return;
  char line[48];
  const int n = std::snprintf(line, sizeof line, "cmd=abort exitcode=%d\n", status);
  while (send(fd, line, static_cast<std::size_t>(n), MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}

}  // namespace

void end_rank(const std::string& text, int status, speaker who) noexcept {
  if (who == speaker::another) {
    if (!launcher_ends_jobs()) std::_Exit(status);
    await_end();
  }
  say(text);
  words::await_last_words();
  tell_process_manager(status);
  std::_Exit(status);
}

void end_alone(const start_failure& failure) noexcept {
  const int rank = rank_from_environment();
  const bool is_own = failure.who() == met_by::one;
  end_rank(rank == 0 ? failure.text() : failure.text() + " (rank " + std::to_string(rank) + ")", static_cast<int>(failure.status()),
           rank == 0 || is_own ? speaker::this_rank : speaker::another);
}

}  // namespace mana::job
