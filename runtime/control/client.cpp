#include "client.hpp"

#include "connection.hpp"
#include "endpoint.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>

namespace mana::control {

namespace {

job_file find_job(const std::string& job) {
  try {
    return read_job_file(job);
  } catch (const job_file_error& error) {
    const bool foreign = error.problem == job_file_problem::not_owner;
    throw client_error(foreign ? client_problem::not_owner : client_problem::no_job, error.what());
  }
}

/// On this node. One that nobody has waited for yet has ended too; a child may still listen where it did.
bool has_ended(int pid) {
  if (kill(pid, 0) != 0) return errno == ESRCH;
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t end = text.rfind(") ");        // the name may have any characters
  return end != std::string::npos && end + 2 < text.size() && (text[end + 2] == 'Z' || text[end + 2] == 'X');
}

class conversation {
 public:
  conversation(const std::string& job, double timeout_s) : job_(job), until_(deadline(timeout_s)) {
    const job_file file = find_started_job();
    // Where the process is known to be gone, its port may be somebody else's.
    const bool gone = file.where.host == own_host_name() && has_ended(file.pid);
    try {
      if (gone) throw std::system_error(ESRCH, std::generic_category());
      line_ = std::make_unique<connection>(connect_to(reachable_addresses(file.where), file.where.port, connect_ms()));
    } catch (const std::system_error&) {
      not_answering(file, "does not answer: it has ended, or its node cannot be reached");
    }
    if (file.protocol != protocol_version) other_mana(file.protocol, {file.build.version, command_of(file)});
    const std::string version = own_build().version.substr(0, most_version_bytes);
    line_->send_all(
        frame_writer(frame_type::hello_client).put(file.where.key).put(protocol_version).put(version).take());
  }

  /// Sends the question, and returns the frame of type `wanted` that answers it.
  bytes ask(const bytes& question, frame_type wanted, const progress_listener& listen = {}) {
    line_->send_all(question);
    if (listen) next_look_ = std::chrono::steady_clock::now() + quiet;
    try {
      for (bool alive = true;; alive = line_->receive()) {
        while (const auto frame = line_->next()) {
          frame_reader reader(*frame);
          if (reader.type() == wanted) return *frame;
          if (reader.type() == frame_type::other_protocol) hear_other(reader);
          if (reader.type() == frame_type::progress && listen) hear(reader, listen);
        }
        if (!alive) throw client_error(client_problem::not_answering, job_ + ": the job ended before it answered");
        wait();
      }
    } catch (const wire_error&) {
      throw client_error(client_problem::not_answering,
                         job_ + ": the job has ended, and its port is another program's now");
    }
  }

 private:
  [[noreturn]] void not_answering(const job_file& file, const std::string& what) const {
    throw client_error(client_problem::not_answering, job_ + ": the job of process " + std::to_string(file.pid) +
                                                          " on " + file.where.host + " " + what);
  }

  [[noreturn]] void other_mana(std::uint32_t protocol, const build_name& build) const {
    throw client_error(client_problem::other_mana,
                       job_ + ": the job speaks " + name_of(protocol, build.version) + ", and this is " +
                           name_of(protocol_version, own_build().version), build.command);
  }
  [[noreturn]] void hear_other(frame_reader& frame) const {
    const auto protocol = frame.get<std::uint32_t>();
    build_name build;
    build.version = frame.get<std::string>();
    build.command = frame.get<std::string>();
    other_mana(protocol, build);
  }
  /// Where the file does not say it, the process on this node shows it.
  static std::string command_of(const job_file& file) {
    if (!file.build.command.empty() || file.where.host != own_host_name()) return file.build.command;
    std::error_code error;
    const auto lower_half = std::filesystem::read_symlink("/proc/" + std::to_string(file.pid) + "/exe", error);
    return error ? std::string() : command_beside(lower_half.string());
  }

  /// A job that is just starting has a file without port: waits until it is replaced, or its process has ended. Nobody
  /// tells what another node does to a file or a process: there the file is looked at every second.
  job_file find_started_job() {
    const handle changes(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    struct stat about{};
    const bool is_directory = stat(job_.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
    const std::string folder = is_directory ? job_ : std::filesystem::absolute(job_).parent_path().string();
    inotify_add_watch(changes.get(), folder.c_str(), IN_MOVED_TO | IN_DELETE);
    for (;;) {
      job_file file = find_job(job_);
      if (file.where.port != 0) return file;
      const bool elsewhere = file.where.host != own_host_name();
      const handle process(elsewhere ? -1 : static_cast<int>(syscall(SYS_pidfd_open, file.pid, 0)));
      if (!process && !elsewhere) not_answering(file, "ended before it was up");
      pollfd waits[2] = {{changes.get(), POLLIN, 0}, {process.get(), POLLIN, 0}};
      const int left_ms = milliseconds_left();
      const int wait_ms = !elsewhere ? left_ms : left_ms < 0 ? 1000 : std::min(left_ms, 1000);
      if (poll(waits, 2, wait_ms) == 0 && is_late()) time_out();
      char ignored[4096];
      while (read(changes.get(), ignored, sizeof ignored) > 0) {}
    }
  }

  using time = std::chrono::steady_clock::time_point;
  static time deadline(double timeout_s) {
    if (timeout_s <= 0) return time::max();
    return std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(timeout_s));
  }
  int milliseconds_left() const { return milliseconds_until(until_); }
  int connect_ms() const {
    const int left = milliseconds_left();
    return left < 0 ? connect_limit_ms : std::min(left, connect_limit_ms);
  }
  static int milliseconds_until(time when) {
    if (when == time::max()) return -1;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(when - std::chrono::steady_clock::now()).count() + 1;
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 86'400'000));
  }
  bool is_late() const { return std::chrono::steady_clock::now() >= until_; }
  [[noreturn]] void time_out() const {
    throw client_error(client_problem::timeout, job_ + ": no answer in time; the job goes on with what it was asked");
  }
  void hear(frame_reader& frame, const progress_listener& listen) {
    listen(frame.get<std::string>());
    next_look_ = std::chrono::steady_clock::now() + between_looks;
  }
  /// The next look begins when the last one was answered.
  void look() {
    next_look_ = time::max();
    line_->send_all(frame_writer(frame_type::ask_progress).take());
  }
  void wait() {
    pollfd wait{line_->fd(), POLLIN, 0};
    while (poll(&wait, 1, milliseconds_until(std::min(until_, next_look_))) == 0) {
      if (is_late()) time_out();
      if (std::chrono::steady_clock::now() >= next_look_) look();
    }
  }

  static constexpr std::chrono::seconds quiet{2}, between_looks{1};

  const std::string job_;
  const time until_;
  time next_look_ = time::max();
  std::unique_ptr<connection> line_;
};

}  // namespace

std::string request_checkpoint(const std::string& job, bool stop, double timeout_s, wait_for what,
                               const progress_listener& listen) {
  conversation with(job, timeout_s);
  const bytes question = frame_writer(frame_type::ask_checkpoint).put(static_cast<std::uint8_t>(stop)).put(what).take();
  const bytes frame = with.ask(question, frame_type::answer, listen);
  frame_reader reader(frame);
  const bool ok = reader.get<std::uint8_t>() != 0;
  const std::string text = reader.get<std::string>();
  if (!ok) throw client_error(client_problem::refused, text);
  return text;
}

std::string job_status(const std::string& job, double timeout_s) {
  conversation with(job, timeout_s);
  const bytes frame = with.ask(frame_writer(frame_type::ask_status).take(), frame_type::status);
  frame_reader reader(frame);
  return reader.get<std::string>();
}

}  // namespace mana::control
