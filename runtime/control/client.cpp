#include <runtime/control/client.hpp>

#include <runtime/control/connection.hpp>
#include <runtime/control/endpoint.hpp>

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
#include <optional>
#include <system_error>
#include <utility>

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

/// Whether a process of this node has ended. A zombie has ended too, although a child of it may still listen at its
/// port.
bool has_ended(int pid) {
  if (kill(pid, 0) != 0) return errno == ESRCH;
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t end = text.rfind(") ");        // the name may contain any character
  return end != std::string::npos && end + 2 < text.size() && (text[end + 2] == 'Z' || text[end + 2] == 'X');
}

/// Whether both files lead to the same coordinator.
bool is_same_place(const job_file& a, const job_file& b) {
  return a.pid == b.pid && a.where.host == b.where.host && a.where.key == b.where.key && a.where.port == b.where.port &&
         a.early_port == b.early_port;
}

std::string short_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

class conversation {
 public:
  conversation(const std::string& job, const patience& waits)
      : job_(job), waits_(waits), until_(deadline(waits.timeout_s)) {}

  /// Sends the question to the job, and sends it again each time a coordinator gives way to another.
  /// out: the answer, a frame of type `wanted`
  bytes ask(const bytes& question, frame_type wanted, const progress_listener& listen = {}) {
    for (;;) {
      connect();
      if (const auto answer = ask_this_one(question, wanted, listen)) return *answer;
    }
  }

 private:
  using time = std::chrono::steady_clock::time_point;

  void connect() {
    for (std::optional<time> no_longer;;) {
      file_ = find_started_job();
      const std::uint16_t port = file_.where.port != 0 ? file_.where.port : file_.early_port;
      // If the process is known to be gone, its port may belong to another program.
      const bool gone = is_here() && has_ended(file_.pid);
      try {
        if (gone) throw std::system_error(ESRCH, std::generic_category());
        line_ = std::make_unique<connection>(connect_to(reachable_addresses(file_.where), port, connect_ms()));
        if (file_.protocol != protocol_version) other_mana(file_.protocol, {file_.build.version, command_of(file_)});
        const std::string version = own_build().version.substr(0, most_version_bytes);
        line_->send_all(
            frame_writer(frame_type::hello_client).put(file_.where.key).put(protocol_version).put(version).take());
        return;
      } catch (const std::system_error&) {
        if (!gone) refuse_if_other_program();
        await_another(no_longer);
      }
    }
  }

  /// out: nothing: ask another coordinator
  std::optional<bytes> ask_this_one(const bytes& question, frame_type wanted, const progress_listener& listen) {
    line_->send_all(question);
    if (listen) next_look_ = std::chrono::steady_clock::now() + quiet;
    try {
      for (bool alive = true;; alive = line_->receive()) {
        while (const auto frame = line_->next()) {
          frame_reader reader(*frame);
          if (reader.type() == wanted) return *frame;
          if (reader.type() == frame_type::other_protocol) hear_other(reader);
          if (reader.type() == frame_type::again) return std::nullopt;
          if (reader.type() == frame_type::progress && listen) hear(reader, listen);
        }
        if (!alive) break;
        wait();
      }
    } catch (const wire_error&) {
      throw client_error(client_problem::not_answering,
                         job_ + ": the job has ended, and another program uses its port now");
    }
    if (has_changed()) return std::nullopt;       // the coordinator gave way before it had read the question
    refuse_if_other_program();
    await_another_after_end();
    return std::nullopt;
  }

  /// The job may be killed while it is asked. A process that is being killed accepts connections until it is gone. If
  /// the job's file remains, a restart of the job is asked. A job that ends normally removes its file.
  void await_another_after_end() {
    for (std::optional<time> no_longer; !has_changed(); await_another(no_longer))
      if (waits_.restart_s <= 0 || !has_file())
        throw client_error(client_problem::not_answering, job_ + ": the job ended before it answered");
  }

  [[noreturn]] void not_answering(const std::string& what) const {
    throw client_error(client_problem::not_answering, job_ + ": the job of process " + std::to_string(file_.pid) +
                                                          " on " + file_.where.host + " " + what);
  }
  bool is_here() const { return file_.where.host == own_host_name(); }
  void note(const std::string& what) {
    if (waits_.note && std::exchange(noted_, what) != what) waits_.note(what);
  }

  /// Rank 0 has executed another program, which is not a rank under mana.
  void refuse_if_other_program() const {
    if (!is_here() || file_.executable.empty()) return;
    const std::string now = executable_of(file_.pid);
    if (now.empty() || short_name(now) == short_name(file_.executable) || short_name(now).starts_with("mana")) return;
    throw client_error(client_problem::refused, job_ + ": rank 0, process " + std::to_string(file_.pid) +
                                                    ", has become another program (" + now +
                                                    "), which answers no requests for checkpoints");
  }

  /// A killed job leaves its file. If the job is being restarted, another file will take its place.
  /// in: no_longer  the time to give up; nothing: the first look
  void await_another(std::optional<time>& no_longer) {
    static constexpr char ended[] = "does not answer: it has ended, or its node cannot be reached";
    if (has_changed()) return;
    if (waits_.restart_s <= 0) not_answering(ended);
    if (!no_longer) {
      no_longer = deadline(waits_.restart_s);
      note("the job of process " + std::to_string(file_.pid) + " on " + file_.where.host + " has ended; waiting " +
           std::to_string(static_cast<int>(waits_.restart_s)) + " s for a restart of it");
    }
    const time now = std::chrono::steady_clock::now();
    if (now >= *no_longer) not_answering(ended + std::string(", and no restart of it has begun"));
    await_change(handle(), std::min(*no_longer, now + between_looks));
  }

  /// Another coordinator has written the file.
  bool has_changed() const {
    try {
      return !is_same_place(file_, read_job_file(job_));
    } catch (const job_file_error&) {
      return false;
    }
  }

  bool has_file() const {
    try {
      return read_job_file(job_).pid != 0;
    } catch (const job_file_error&) {
      return false;
    }
  }

  /// From now on inotify reports changes of the file. Only a client that must wait calls this: on busy processors the
  /// kernel takes seconds to close an inotify descriptor.
  void watch() {
    struct stat about{};
    const bool is_directory = stat(job_.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
    const std::string folder = is_directory ? job_ : std::filesystem::absolute(job_).parent_path().string();
    changes_ = handle(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    inotify_add_watch(changes_.get(), folder.c_str(), IN_MOVED_TO | IN_DELETE);
  }

  /// Returns when the file may have changed, the process has ended, or `when` has come. The first call returns at once,
  /// because nothing reports changes between the reading of the file and watch().
  void await_change(const handle& process, time when) {
    if (!std::exchange(watches_, true)) return watch();
    pollfd waits[2] = {{changes_.get(), POLLIN, 0}, {process.get(), POLLIN, 0}};
    if (poll(waits, 2, milliseconds_until(std::min(until_, when))) == 0 && is_late()) time_out();
    char ignored[4096];
    while (read(changes_.get(), ignored, sizeof ignored) > 0) {}
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
  /// If the file does not name the command, /proc of the process shows it, on the process's own node.
  static std::string command_of(const job_file& file) {
    if (!file.build.command.empty() || file.where.host != own_host_name()) return file.build.command;
    std::error_code error;
    const auto lower_half = std::filesystem::read_symlink("/proc/" + std::to_string(file.pid) + "/exe", error);
    return error ? std::string() : command_beside(lower_half.string());
  }

  /// A starting job has a file without a port. Waits until the file is replaced, or the process has ended. The kernel
  /// reports nothing that another node does to a file or a process: there the client looks at the file every second.
  job_file find_started_job() {
    std::optional<time> no_longer;
    for (const time begin = std::chrono::steady_clock::now();;) {
      file_ = find_job(job_);
      if (file_.where.port != 0 || file_.early_port != 0) return file_;
      const handle process(!is_here() ? -1 : static_cast<int>(syscall(SYS_pidfd_open, file_.pid, 0)));
      if (is_here() && (!process || has_ended(file_.pid))) {
        if (waits_.restart_s <= 0) not_answering("ended before it could answer");
        await_another(no_longer);
        continue;
      }
      refuse_if_other_program();
      const time now = std::chrono::steady_clock::now();
      if (now >= begin + quiet)
        note("the job of process " + std::to_string(file_.pid) + " on " + file_.where.host + " " +
             (file_.doing.empty() ? "is starting" : file_.doing) + "; waiting until it can be asked");
      await_change(process, now + between_looks);
    }
  }

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
    throw client_error(client_problem::timeout, job_ + ": no answer in time; the job continues with the request");
  }
  void hear(frame_reader& frame, const progress_listener& listen) {
    listen(frame.get<std::string>());
    next_look_ = std::chrono::steady_clock::now() + between_looks;
  }
  /// Asks for progress again, after the answer to the last question.
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
  const patience waits_;
  const time until_;
  handle changes_;                      // of the folder of the job's file; open once the client has waited
  bool watches_ = false;
  job_file file_;                       // as last read
  std::string noted_;
  time next_look_ = time::max();
  std::unique_ptr<connection> line_;
};

}  // namespace

std::string request_checkpoint(const std::string& job, bool stop, const patience& waits, wait_for what,
                               const progress_listener& listen) {
  conversation with(job, waits);
  const bytes question = frame_writer(frame_type::ask_checkpoint).put(static_cast<std::uint8_t>(stop)).put(what).take();
  const bytes frame = with.ask(question, frame_type::answer, listen);
  frame_reader reader(frame);
  const bool ok = reader.get<std::uint8_t>() != 0;
  const std::string text = reader.get<std::string>();
  if (!ok) throw client_error(client_problem::refused, text);
  return text;
}

std::string job_status(const std::string& job, double timeout_s) {
  conversation with(job, patience{timeout_s});
  const bytes frame = with.ask(frame_writer(frame_type::ask_status).take(), frame_type::status);
  frame_reader reader(frame);
  return reader.get<std::string>();
}

}  // namespace mana::control
