// The stages of a rank's program: before the live MPI runs, while it runs, after it has ended. Each has its own control
// network. This file begins and ends stages, and ends the process.
#include <runtime/control/rank_control.hpp>

#include <runtime/control/clock_trace.hpp>
#include <runtime/control/fence.hpp>
#include <runtime/control/quiet_thread.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace mana::control {

void rank_control::begin(const surroundings& s) {
  end_by_file();
  around_ = s;
  if (s.by_file) around_.fan_out = std::max(s.size, clock::least_fan_out);      // all agents speak with the coordinator
  around_.memory = memory_;
  prepare_fences();
  if (!wake_) wake_ = handle(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_) throw std::system_error(errno, std::generic_category(), "a descriptor for the control of checkpoints");
  in_checkpoint_ = bridge_.current.load() == lower::phase::restoring;
  released_ = !in_checkpoint_;
  begun_ = said_ending_ = all_ending_ = stopping_ = left_ = said_word_ = false;
  drains_ = 0;
  stands_ = !s.by_file;
  came_.reset();
  unheard_ = {};
  if (s.by_file && s.rank != 0) changes_of_file_ = handle(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  network_ = std::make_unique<network>(around_);
  try {
    clock_ = make_rank_clock_in(network_->job(), s.rank, [this](const bytes& frame) { tell(frame); });
    if (!s.by_file || s.rank == 0) line_ = network_->connect();
  } catch (...) {
    network_->close_coordinator(true);
    network_->end();
    network_.reset();
    throw;
  }
  barriers_.clear();
  if (clock_->always_asks()) bridge_.attention.fetch_or(lower::collectives_ask);
  begun_ = true;
  agent_ = start_quiet([this] { run_agent(); });
}

void rank_control::end() {
  if (!begun_) return;
  agent_.join();
  end_network();
}

void rank_control::end_network() {
  if (auto memory = network_->end()) memory_ = std::move(memory);
  network_.reset();
  const std::lock_guard hold(lock_);
  numbers_before_ += std::exchange(number_, 0);
  begun_ = false;
  line_.reset();
  clock_.reset();
}

void rank_control::wake_agent() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = write(wake_.get(), &one, sizeof one);
}

/// Rank 0 has left the live MPI's start, so all ranks have entered it.
void rank_control::end_by_file() {
  if (!agent_.joinable()) return;
  {
    const std::lock_guard hold(lock_);
    stopping_ = true;
  }
  network_->close_coordinator(false);
  wake_agent();
  agent_.join();
  std::uint64_t ignored = 0;
  [[maybe_unused]] const ssize_t n = read(wake_.get(), &ignored, sizeof ignored);
  end_network();
}

/// If the job's file names no coordinator of this stage, or one that has gone, the file will change. The kernel does
/// not report what another node does to a file, so the agent polls it.
/// out: true: line_ is connected. false: the agent must stop
bool rank_control::find_coordinator() {
  constexpr int most_ms = 10'000;
  inotify_add_watch(changes_of_file_.get(), around_.directory.c_str(), IN_MOVED_TO);
  if (std::exchange(was_lost_, false)) {
    constexpr int before_next_ms = 100;   // a rank that is turned away does not return at once
    pollfd wait{wake_.get(), POLLIN, 0};
    poll(&wait, 1, before_next_ms);
  }
  for (int wait_ms = 250;; wait_ms = std::min(2 * wait_ms, most_ms)) {
    auto found = network_->find();
    {
      const std::lock_guard hold(lock_);
      if (stopping_) return false;
      if (found != nullptr) {
        line_ = std::move(found);
        changed_.notify_all();
        if (left_) tell(frame_writer(frame_type::in_init).take());
        return true;
      }
    }
    pollfd waits[2] = {{changes_of_file_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    poll(waits, 2, wait_ms);
    char ignored[4096];
    while (read(changes_of_file_.get(), ignored, sizeof ignored) > 0) {}
  }
}

/// Rank 0 has become another program, which may run under mana too and have a coordinator soon. Or it has ended, and
/// the job will end. The caller holds lock_.
void rank_control::lose_coordinator() {
  if (!released_) on_verdict(verdict_kind::given_up, false, false);
  stands_ = false;
  network_->give_back(std::move(line_));
  changed_.notify_all();
  was_lost_ = true;
}

/// For a rank in whose MPI start the coordinator's address was told.
/// in: hold  of lock_, which other threads can take meanwhile
bool rank_control::join_again(std::unique_lock<std::mutex>& hold) {
  if (!unheard_.try_again()) return false;
  hold.unlock();
  pollfd wait{wake_.get(), POLLIN, 0};
  poll(&wait, 1, unheard::pause_ms);
  std::unique_ptr<connection> made;
  try {
    made = network_->connect();
  } catch (const std::system_error&) {
    // The coordinator has ended.
  }
  hold.lock();
  if (made == nullptr) return false;
  line_ = std::move(made);
  line_->send_all(unheard_.told());
  return true;
}

/// The rank enters the live MPI's start as soon as no checkpoint holds it. It first gives the other ranks' agents a
/// moment to connect: afterwards the ranks cannot be saved until all have come.
std::optional<lower::wait_end> rank_control::leave_alone(std::unique_lock<std::mutex>& hold) {
  constexpr std::chrono::seconds to_be_heard_of(1);
  const auto until = came_.value_or(std::chrono::steady_clock::now()) + to_be_heard_of;
  if (!came_) came_ = until - to_be_heard_of;
  if (!left_ && !said_ending_ && std::chrono::steady_clock::now() < until) {
    changed_.wait_until(hold, until, [this] { return stands_ || clock_->at_line(); });
    return std::nullopt;
  }
  if (!released_) return std::nullopt;
  if (!left_) tell(frame_writer(frame_type::in_init).take());
  left_ = true;
  return lower::wait_end::done;
}

std::optional<lower::wait_end> rank_control::ending() {
  std::unique_lock hold(lock_);
  if (!begun_ || all_ending_) return lower::wait_end::done;
  const bool waits = stands_;
  if (waits && !said_ending_) {
    tell(frame_writer(frame_type::ending).take());
    said_ending_ = true;
  }
  if (clock_->at_line()) return lower::wait_end::attention;
  if (!waits) return leave_alone(hold);
  if (around_.where != stage::before_mpi) return std::nullopt;
  constexpr std::chrono::milliseconds at_most(100);     // natively the rank sleeps too, until its launcher names the others
  changed_.wait_for(hold, at_most, [this] { return all_ending_ || !stands_ || clock_->at_line(); });
  return std::nullopt;
}

void rank_control::leave() noexcept {
  {
    const std::lock_guard hold(lock_);
    if (!begun_ || around_.where == stage::in_mpi || stopping_) return;
    stopping_ = true;
    tell(frame_writer(frame_type::word).put(around_.rank).put(std::string("has ended: the program is ending")).take());
    tell(frame_writer(frame_type::hand_over).put(std::uint8_t{1}).take());      // to the relay of this process, if it has one
  }
  wake_agent();
  agent_.join();
  network_->close_coordinator(true);
  if (around_.rank == 0) network_->end();
  const std::lock_guard hold(lock_);
  line_.reset();
}

/// A rank waits for its connection before it executes another program as its first act. Otherwise nobody would know
/// what has become of that rank.
void rank_control::about_to_become(const std::string& what) {
  std::unique_lock hold(lock_);
  if (!begun_) return;
  constexpr std::chrono::seconds to_be_heard_of(1);
  if (around_.by_file) changed_.wait_for(hold, to_be_heard_of, [this] { return line_ != nullptr; });
  tell(frame_writer(frame_type::word).put(around_.rank).put(what).take());
  said_word_ = true;
}

}  // namespace mana::control
