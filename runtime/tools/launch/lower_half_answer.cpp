#include <runtime/tools/launch/lower_half_answer.hpp>

#include <runtime/files/descriptor.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace mana::tools {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t most = 4096;  // bytes of each output that are kept: the first line is wanted

/// One output of a process, read through a pipe.
class output {
 public:
  /// out: false if there is no pipe; errno says why
  bool open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    from_.reset(ends[0]);
    to_.reset(ends[1]);
    return true;
  }
  int writing_end() const { return to_.get(); }
  void close_writing_end() { to_.reset(); }
  /// A closed output is -1, which poll passes over.
  pollfd polled() const { return {from_.get(), POLLIN, 0}; }
  bool is_open() const { return static_cast<bool>(from_); }
  void read_some() {
    std::array<char, 512> part{};
    const ssize_t got = read(from_.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) return from_.reset();
    text_.append(part.data(), std::min(static_cast<std::size_t>(got), most - text_.size()));
  }
  bool has_line() const { return text_.find('\n') != std::string::npos; }
  std::string first_line() const { return text_.substr(0, text_.find('\n')); }

 private:
  files::descriptor from_, to_;
  std::string text_;
};

/// Reads until an answer has come or both outputs have ended. A process that the MPI's library started may hold them open forever.
/// out: false if that takes longer than until `end`
bool read_answer(output& out, output& errors, clock::time_point end) {
  while (!out.has_line() && (out.is_open() || errors.is_open())) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock::now()).count();
    if (left <= 0) return false;
    std::array<pollfd, 2> both{out.polled(), errors.polled()};
    if (poll(both.data(), both.size(), static_cast<int>(left)) <= 0) continue;  // a signal, or the end
    if (both[0].revents != 0) out.read_some();
    if (both[1].revents != 0) errors.read_some();
  }
  return true;
}

pid_t start(const std::filesystem::path& lower_half, const output& out, const output& errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.writing_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.writing_end(), STDERR_FILENO);
  std::string name = lower_half.string(), word = "mpi-version";
  std::array<char*, 3> words{name.data(), word.data(), nullptr};
  pid_t started = -1;
  const int failed = posix_spawn(&started, name.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  errno = failed;
  return failed == 0 ? started : -1;
}

std::string complaint_in(std::string line) {
  constexpr std::string_view introduction = "mana: error: ";
  if (line.starts_with(introduction)) line.erase(0, introduction.size());
  return line;
}

}  // namespace

lower_half_answer ask_lower_half(const std::filesystem::path& lower_half, std::chrono::milliseconds patience) {
  output out, errors;
  if (!out.open() || !errors.open()) return {"", std::strerror(errno)};
  const pid_t asked = start(lower_half, out, errors);
  if (asked < 0) return {"", std::strerror(errno)};
  out.close_writing_end();
  errors.close_writing_end();
  const bool in_time = read_answer(out, errors, clock::now() + patience);
  const std::string version = out.first_line(), complaint = complaint_in(errors.first_line());
  if (!in_time || !version.empty()) kill(asked, SIGKILL);  // its end is of no interest, and may never come
  int status = 0;
  while (waitpid(asked, &status, 0) < 0 && errno == EINTR) {
  }
  if (!version.empty()) return {version, ""};
  if (!in_time)
    return {"", fmt::format("it gave no answer within {} s, and was killed{}{}", std::chrono::duration<double>(patience).count(),
                            complaint.empty() ? "" : ": ", complaint)};
  if (!complaint.empty()) return {"", complaint};
  if (WIFSIGNALED(status)) return {"", fmt::format("signal {} ended it", WTERMSIG(status))};
  return {"", "it says nothing"};
}

}  // namespace mana::tools
