#include <runtime/job/job_claim.hpp>

#include <runtime/job/start_failure.hpp>

#include <runtime/control/client.hpp>
#include <runtime/control/endpoint.hpp>
#include <runtime/store/directory_claim.hpp>
#include <runtime/words/mpi_families.hpp>

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

namespace mana::job {

namespace {

using clock = std::chrono::steady_clock;
using store::claim_holder;
using store::holder_state;
using store::lock_end;

store::directory_lock& held_claim() noexcept {
  static auto& lock = *new store::directory_lock;  // never destroyed: the kernel drops it
  return lock;
}

/// Asks the job of this directory for its status, with the key in the job's file. If the job has ended and another
/// program has its port, that program does not know the key.
bool answers(const std::string& directory) {
  constexpr double limit_s = 2;
  try {
    control::job_status(directory, limit_s);
    return true;
  } catch (const control::client_error& error) { return error.problem == control::client_problem::other_mana; }
}

const char* text_of_environment(const char* name) noexcept {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// in: stat  /proc/PID/stat: "PID (NAME) …"
bool is_of_process_manager(const std::string& stat) {
  return starts_ranks(std::string_view(stat).substr(stat.find('(') + 1));
}

/// out: the process id of the nearest ancestor that starts the ranks of one job on this node; 0 if there is none
int process_manager() {
  constexpr int deepest = 64;
  int pid = getppid();
  for (int level = 0; level < deepest && pid > 1; ++level) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(in)), {});
    if (is_of_process_manager(text)) return pid;
    const std::size_t end = text.rfind(')');
    if (end == std::string::npos || end + 4 >= text.size()) return 0;
    pid = std::atoi(text.c_str() + end + 4);  // ") S PARENT"
  }
  return 0;
}

/// out: equal for all ranks of a job on one node, different for every other job there; empty if the environment does
///      not tell
std::string launch_name() {
  if (const std::string name = text_of_environment("PMIX_NAMESPACE"); !name.empty())
    return "pmix " + name + " " + text_of_environment("PMIX_SERVER_URI2");
  if (const int manager = process_manager(); manager != 0) return "manager " + std::to_string(manager);
  const std::string step = text_of_environment("SLURM_STEP_ID");
  if (std::getenv("SLURM_PROCID") != nullptr && !step.empty())
    return "slurm " + std::string(text_of_environment("SLURM_JOB_ID")) + "." + step;
  return {};
}

std::string local_time(std::int64_t unix_s) {
  const std::time_t time = unix_s;
  std::tm parts{};
  char text[64] = {};
  if (localtime_r(&time, &parts) != nullptr) std::strftime(text, sizeof text, "%F %T %z", &parts);
  return text;
}

/// Claims the directory, and waits while another job has it.
class claimant {
 public:
  claimant(const start_options& options, const claim_patience& patience)
      : options_(options), patience_(patience), place_(files::own_directory::open(options.checkpoint_directory)) {}

  int take() {
    const auto begun = clock::now();
    for (bool said = false; !try_to_take(); std::this_thread::sleep_for(pause)) {
      const auto waited = clock::now() - begun;
      if (waited >= limit()) refuse();
      if (waited >= silent && !std::exchange(said, true) && state_ != holder_state::lives) say(waiting_text());
    }
    return held_claim().number();
  }

 private:
  // The kernel sends no notice when another node drops a lock, so the claimant tries again and again.
  static constexpr std::chrono::milliseconds pause{20}, silent{2'000}, between_calls{2'000};

  bool try_to_take() {
    lock_ = store::directory_lock::of_job(place_);
    holder_ = store::read_claim(place_);
    // This process belongs to the holder's job: the job runs a script that starts programs.
    if (lock_.end() != lock_end::held && holder_ && store::is_ancestor(*holder_)) return true;
    state_ = holder_ ? state_of_holder() : lock_.end() == lock_end::busy ? holder_state::lives : holder_state::gone;
    if (lock_.end() == lock_end::busy) return false;
    // The lock says that no process holds the directory. But the holder may live where other nodes do not see locks, or
    // where the file system has no locks.
    const bool lives_there = state_ == holder_state::not_seen
                                 ? answered_
                                 : lock_.end() == lock_end::none_here && state_ == holder_state::lives;
    if (lives_there) {
      lock_.release();
      state_ = holder_state::lives;
      return false;
    }
    keep();
    return true;
  }

  holder_state state_of_holder() {
    const holder_state state = store::state_of(*holder_);
    if (state != holder_state::not_seen) return state;
    if (const auto now = clock::now(); now >= next_call_) {
      answered_ = answers(options_.checkpoint_directory);
      next_call_ = clock::now() + between_calls;
    }
    return answered_ && lock_.end() == lock_end::busy ? holder_state::lives : state;
  }

  /// A claim holds even if it cannot be written to the directory.
  void keep() {
    held_claim() = std::move(lock_);
    try {
      store::write_claim(
          place_, store::this_holder(options_.restart ? "the restart of " + options_.generation
                                                                     : options_.program_named(),
                                     launch_name()));
    } catch (const files::image_error&) {}
  }

  std::chrono::milliseconds limit() const {
    switch (state_) {
      case holder_state::lives: return patience_.lives;
      case holder_state::ends:
      case holder_state::gone: return patience_.ends;
      case holder_state::not_seen: break;
    }
    return patience_.not_seen;
  }

  std::string holder_text() const {
    if (!holder_) return "a job that has not written its name yet";
    return holder_->what + " (process " + std::to_string(holder_->pid) + " on " + holder_->host + ", since " +
           local_time(holder_->since_s) + ")";
  }

  std::string waiting_text() const {
    return "mana: " + options_.checkpoint_directory + " is still held by a killed job: " + holder_text() +
           "; waiting until its processes have ended";
  }

  [[noreturn]] void refuse() const {
    const std::string& directory = options_.checkpoint_directory;
    if (state_ == holder_state::not_seen)
      throw start_failure(
          exit_status::directory_in_use,
          directory + ": another job holds this directory of checkpoints and does not answer: " + holder_text(),
          "if that node is lost forever, remove " + directory + "/" + store::directory_lock::file_name +
              "; otherwise end the job first",
          met_by::all);
    if (state_ != holder_state::lives)
      throw start_failure(
          exit_status::directory_in_use,
          directory + ": a killed job still holds this directory of checkpoints: " + holder_text(),
          "wait until its process, and others with its open files, have ended (see ps), then start again", met_by::all);
    if (options_.restart)
      throw start_failure(
          exit_status::directory_in_use,
          directory + ": the job of this directory of checkpoints still runs: " + holder_text(),
          "wait for its end, or save and end it: mana checkpoint --stop --ckpt-dir " + directory,
          met_by::all);
    throw start_failure(
        exit_status::directory_in_use,
        directory + ": another job runs with this directory of checkpoints: " + holder_text(),
        "give each job a directory of its own: mana run --ckpt-dir DIR … (in an array of jobs, "
        "one for each task: --ckpt-dir mana-ckpt-$SLURM_ARRAY_TASK_ID)",
        met_by::all);
  }

  const start_options& options_;
  const claim_patience patience_;
  const files::own_directory place_;
  store::directory_lock lock_;
  std::optional<claim_holder> holder_;
  holder_state state_ = holder_state::gone;
  bool answered_ = false;
  clock::time_point next_call_{};
};

}  // namespace

int claim_directory(const start_options& options, const claim_patience& patience) {
  try {
    return claimant(options, patience).take();
  } catch (const files::image_error&) { return -1; }
}

void release_claim() noexcept { held_claim().release(); }

bool is_first_on_node(int rank) noexcept {
  bool is_first = false;
  const auto read = [&](const char* text) {
    int local = -1;
    const auto end = text + std::strlen(text);
    // A rank whose number equals its number on the node has all lower ranks on its node, rank 0 among them.
    is_first = std::from_chars(text, end, local).ptr == end && local == rank;
    return true;
  };
  if (!first_variable(&mpi_family::node_rank, std::getenv, read))
    if (const char* const text = std::getenv("SLURM_LOCALID")) read(text);
  return is_first;
}

void await_claim(const start_options& options) {
  constexpr std::chrono::seconds unheard{10}, refused{200};
  const std::string mine = launch_name();
  if (mine.empty() || !is_first_on_node(rank_from_environment())) return;
  try {
    const auto place = files::own_directory::open(options.checkpoint_directory);
    const files::descriptor changes(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    inotify_add_watch(changes.get(), options.checkpoint_directory.c_str(), IN_MOVED_TO);
    const auto begun = clock::now();
    for (;;) {
      const auto holder = store::read_claim(place);
      const holder_state state = holder ? store::state_of(*holder) : holder_state::gone;
      if (holder && (store::is_ancestor(*holder) || (holder->launch == mine && state == holder_state::lives))) return;
      // While another job has the directory, rank 0 of this job waits. If rank 0 is refused, the launcher ends all
      // ranks.
      if (clock::now() - begun >= (state == holder_state::gone ? unheard : refused)) return;
      pollfd wait{changes.get(), POLLIN, 0};
      constexpr int another_look_ms = 100;  // the previous holder may have ended
      poll(&wait, 1, another_look_ms);
      char ignored[4096];
      while (read(changes.get(), ignored, sizeof ignored) > 0) {}
    }
  } catch (const files::image_error&) {}
}

}  // namespace mana::job
