#include <runtime/control/rank_control.hpp>

#include <runtime/control/clock_trace.hpp>
#include <runtime/control/fence.hpp>
#include <runtime/control/quiet_thread.hpp>

#include <mana/core/fault_points.hpp>
#include <mana/lower/cross.hpp>
#include <mana/lower/parked.hpp>

#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <system_error>
#include <utility>

namespace mana::control {

namespace {

void wake_all(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, 0x7fffffff, nullptr, nullptr, 0);
}
void wait_for_change(std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}

clock::group_name name_of(const vid::group_clock& c) noexcept { return {c.ggid, c.check}; }
clock::rank_set members_of(const vid::group_clock& c) { return clock::rank_set(std::span(c.members, c.size)); }

}  // namespace

rank_control::rank_control(lower::bridge& b) noexcept : bridge_(b) {}
rank_control::~rank_control() = default;

// ---- the agent

void rank_control::run_agent() {
  for (;;) {
    if (line_ == nullptr && !find_coordinator()) return;      // only this thread changes line_
    pollfd waits[] = {{line_->fd(), POLLIN, 0}, {around_.requests, POLLIN, 0}, {around_.end_signals, POLLIN, 0},
                      {wake_.get(), POLLIN, 0}};
    const int ready = poll(waits, std::size(waits), sleep_ms());
    if (ready < 0) continue;
    std::unique_lock hold(lock_);      // other threads send over the connection too
    if (stopping_) return;
    if (ready == 0) {
      say_unparked();
      continue;
    }
    if (waits[1].revents != 0) on_requests();
    if (waits[2].revents != 0) on_end_signal();
    bool alive = line_->receive();
    try {
      take_frames();
    } catch (const wire_error&) {
      alive = false;
    }
    if (all_ending_) return;
    if (alive) continue;
    if (around_.by_file) lose_coordinator();
    else if (!join_again(hold)) return on_silence();
  }
}

void rank_control::on_requests() {
  std::uint64_t sum = 0;
  if (read(around_.requests, &sum, sizeof sum) != sizeof sum) {
    around_.requests = -1;     // closed by the program
    return;
  }
  if (lower::asks(sum)) tell(frame_writer(frame_type::request).put(static_cast<std::uint8_t>(lower::asks_to_stop(sum))).take());
  if (lower::tells_of_end(sum))
    tell_of_end(static_cast<int>(__atomic_load_n(&bridge_.last_end_signal, __ATOMIC_RELAXED)));
}

void rank_control::take_frames() {
  while (const auto frame = line_->next()) {
    frame_reader reader(*frame);
    on_frame(reader);
    if (all_ending_) return;
  }
}

void rank_control::on_frame(frame_reader& frame) {
  switch (frame.type()) {
    case frame_type::welcome: unheard_.on_welcome(); break;
    case frame_type::requested: on_requested(frame.get<clock::request_number>()); break;
    case frame_type::clock_down: clock_->receive(frame); break;
    case frame_type::line: on_line(); break;
    case frame_type::proceed:
      ++drains_;
      next_report_ = {};
      waits_ = false;
      last_report_.clear();
      generation_ = frame.get<commit_info>();
      forked_ = frame.get<bool>();
      local_ = frame.get<bool>();
      copies_ = frame.get<bool>();
      runs_on_ = forked_ || local_;
      stored_number_ = number_;
      vid::begin_anew(around_.clocks());
      proceed_ = true;
      break;
    case frame_type::verdict: {
      const auto verdict = static_cast<verdict_kind>(frame.get<std::uint8_t>());
      const bool stop = frame.get<bool>();
      on_verdict(verdict, stop, frame.get<bool>());
      break;
    }
    case frame_type::stored: {
      stored_end end;
      end.committed = frame.get<bool>();
      end.on_nodes = frame.get<bool>();
      end.is_known = frame.get<bool>();
      end.builds_on = frame.get<std::vector<std::uint64_t>>();
      around_.stored(generation_, end);
      break;
    }
    case frame_type::look: {
      const auto look = frame.get<std::uint64_t>();
      tell(frame_writer(frame_type::advanced).put(look).put(around_.advance()).take());
      break;
    }
    case frame_type::abandon: around_.want_image(false); break;
    case frame_type::stands: stands_ = frame.get<bool>(); break;
    case frame_type::end: all_ending_ = true; break;
    default: break;
  }
  changed_.notify_all();
}

void rank_control::on_requested(clock::request_number number) {
  if (left_) return;                     // the coordinator hears so, and gives the checkpoint up
  if (said_word_) tell(frame_writer(frame_type::word).put(around_.rank).put(std::string()).take());    // it stays
  said_word_ = false;
  if (released_) start_quiesce(number);
  else pending_ = number;
}

/// INV-9 a collective is counted before attention is looked at, and attention is raised before counts are read, with a
/// barrier on all threads between. So each collective is in the counts, or asks clock_enter.
void rank_control::start_quiesce(clock::request_number number) {
  fault_point(fault::point::requested);
  released_ = proceed_ = verdict_known_ = stop_ = false;
  pending_ = 0;
  number_ = number;
  around_.want_image(true);
  around_.watch_ends(true);
  bridge_.current.store(lower::phase::agreeing);
  __atomic_store_n(&bridge_.request_number, numbers_before_ + number, __ATOMIC_RELAXED);
  bridge_.attention.fetch_or(lower::checkpoint_pending);
  fence_all_threads();
  std::vector<clock::group_count> counts = read_clocks();
  fault_point(fault::point::counted);
  clock_->begin(number, std::move(counts));
}

void rank_control::on_line() {
  fault_point(fault::point::at_line);
  clock_->line();
  said_unparked_ = false;
  bridge_.current.store(lower::phase::parking);
  around_.signal_threads();
}

void rank_control::on_verdict(verdict_kind verdict, bool stop, bool on_nodes) {
  if (left_) return;
  // The next request was given up before this rank had finished the last one, whose verdict stands.
  if (std::exchange(pending_, 0) != 0) return;
  verdict_known_ = true;
  committed_ = verdict != verdict_kind::given_up;
  stop_ = stop;
  // A rank was lost while others write. An image on the nodes may still be completed.
  if (!committed_ && !local_) around_.want_image(false);
  all_ending_ = committed_ && stop;
  // The checkpoint may be given up before the last rank reports `copied`.
  if (std::exchange(runs_on_, false) && verdict != verdict_kind::copied) around_.stored(generation_, {committed_, on_nodes, false, {}});
  clock_->end();
  bridge_.parked_count.fetch_add(1);     // the initial thread may be waiting for it
  wake_all(bridge_.parked_count);
  if (!in_checkpoint_) let_go();         // it was given up before the initial thread came to it
}

/// The coordinator is gone, or a relay on the way to it, with its rank or its node. Nothing may wait for it.
void rank_control::on_silence() {
  if (!released_) on_verdict(verdict_kind::given_up, false, false);
  all_ending_ = true;
  changed_.notify_all();
}

std::vector<clock::group_count> rank_control::read_clocks() const {
  std::vector<clock::group_count> counts;
  for (const vid::group_clock* c = around_.clocks(); c != nullptr; c = c->next)
    if (const std::uint64_t count = c->seq.load(std::memory_order_acquire); count != 0)
      counts.push_back({name_of(*c), count, members_of(*c)});
  return counts;
}

void rank_control::tell(const bytes& frame) {
  if (line_ == nullptr) return;
  unheard_.note(frame);
  line_->send_all(frame);
}

// ---- the program's threads

lower::wait_end rank_control::clock_enter(const lower::collective_start& start) {
  std::unique_lock hold(lock_);
  if (!begun_) return lower::wait_end::done;
  vid::group_clock& clock = *start.clock;
  const clock::rank_set members = members_of(clock);
  for (bool synchronized = false;; clock.seq.fetch_add(1)) {
    const clock::verdict v = retracted_ ? clock::verdict::hold
                                        : clock_->start({.name = name_of(clock),
                                                         .count = clock.seq.load(std::memory_order_relaxed),
                                                         .members = members,
                                                         .blocking = start.blocking != 0,
                                                         .waits_for_all = start.waits_for_all != 0,
                                                         .synchronized = synchronized});
    if (v == clock::verdict::go) return lower::wait_end::done;
    clock.seq.fetch_sub(1);
    if (v == clock::verdict::refuse || (v == clock::verdict::synchronize && !start.comm))
      return lower::wait_end::refused;
    if (v == clock::verdict::synchronize) {
      synchronized = pass_barrier(hold, start);
    } else {
      wait_held(hold);
    }
    if (clock_->at_line() && !synchronized) return lower::wait_end::attention;
  }
}

/// The request's counts are wrong: nothing more starts here until the request is given up and repeated. This frame
/// precedes `parked` on the same connection, so no image is written of a line that those counts gave.
void rank_control::clock_retract() {
  const std::lock_guard hold(lock_);
  // A policy that always asks counts only collectives that have passed the trivial barrier on all members.
  if (!begun_ || released_ || retracted_ || clock_->always_asks()) return;
  retracted_ = true;
  tell(frame_writer(frame_type::retracted).put(number_).take());
}

/// Natively the rank would be in its collective, or soon in another call of its program, and make progress. Other ranks
/// may need that progress to reach the line. MPI does not say when, so this function polls. Call it only if no other
/// thread is in the live MPI, except threads that MPI permits to call it at the same time.
template <class IsOver>
void rank_control::wait_making_progress(std::unique_lock<std::mutex>& hold, IsOver is_over) {
  constexpr std::chrono::microseconds progress_every(200);
  while (!changed_.wait_for(hold, progress_every, is_over)) {
    hold.unlock();
    around_.make_progress();
    hold.lock();
  }
}

/// Returns when the clock has heard something, or the line is declared.
void rank_control::wait_held(std::unique_lock<std::mutex>& hold) {
  const std::uint64_t seen = clock_->changes();
  wait_making_progress(hold, [&] { return clock_->at_line() || clock_->changes() != seen; });
}

/// The barrier continues while the rank is parked, and afterwards. After a restart it no longer exists, and begins
/// again.
/// out: true: the barrier is over. false: the recovery line is declared
bool rank_control::pass_barrier(std::unique_lock<std::mutex>& hold, const lower::collective_start& start) {
  const auto [at, is_new] = barriers_.try_emplace(start.clock);
  real<kind::request>& request = at->second;   // one thread per clock is here, and references into a map stay valid
  hold.unlock();
  if (is_new) request = around_.begin_barrier(start.comm);
  bool is_over = around_.is_barrier_over(request);
  hold.lock();
  while (!is_over && !clock_->at_line()) {
    hold.unlock();
    sched_yield();
    is_over = around_.is_barrier_over(request);
    hold.lock();
  }
  if (is_over) barriers_.erase(at);
  return is_over;
}

lower::wait_end rank_control::clock_wait(const int* world_ranks, int n) {
  {
    const std::lock_guard hold(lock_);
    if (!begun_ || !clock_->quiescing()) return lower::wait_end::done;
    if (clock_->at_line()) return lower::wait_end::attention;
    const std::span<const int> peers(world_ranks, n < 0 ? 0u : static_cast<std::size_t>(n));
    // A wait for no message (a collective's completion, MPI_PROC_NULL) is not a need.
    if (n != 0) clock_->wait_begins(lower::this_thread()->index, peers);
  }
  sched_yield();   // other ranks must act first, perhaps on this core
  return lower::wait_end::done;
}

void rank_control::clock_wait_end() {
  const std::lock_guard hold(lock_);
  if (begun_) clock_->wait_ends(lower::this_thread()->index);
}

int rank_control::park_others() {
  {
    const std::lock_guard hold(lock_);
    if (!clock_->at_line()) return 0;
    in_checkpoint_ = true;
  }
  for (;;) {
    const std::uint32_t seen = bridge_.parked_count.load();
    if (around_.all_parked()) break;
    {
      const std::lock_guard hold(lock_);
      if (verdict_known_) return 0;
    }
    wait_for_change(bridge_.parked_count, seen);
  }
  std::unique_lock hold(lock_);
  tell(frame_writer(frame_type::parked).put(number_).take());
  fault_point(fault::point::parked);
  // INV-27 a rank that is parked makes progress until all are. It left its last collective when it needed nothing more
  // of the others. But its messages to them may still wait for room, and the others cannot park before those come.
  wait_making_progress(hold, [this] { return proceed_ || verdict_known_; });
  return verdict_known_ ? 0 : 1;
}

commit_info rank_control::generation() {
  const std::lock_guard hold(lock_);
  return generation_;
}

bool rank_control::forked() {
  const std::lock_guard hold(lock_);
  return forked_;
}

bool rank_control::local() {
  const std::lock_guard hold(lock_);
  return local_;
}

bool rank_control::copies() {
  const std::lock_guard hold(lock_);
  return copies_;
}

void rank_control::on_node() {
  const std::lock_guard hold(lock_);
  if (begun_) tell(frame_writer(frame_type::on_node).put(stored_number_).take());
}

lower::outcome rank_control::copied() {
  std::unique_lock hold(lock_);
  tell(frame_writer(frame_type::copied).put(number_).take());
  return await_verdict(hold);
}

/// If the coordinator was lost meanwhile, nobody asks for the result.
void rank_control::stored(rank_result result) {
  const std::lock_guard hold(lock_);
  if (begun_) tell_written(std::move(result));
}

void rank_control::tell_written(rank_result result) {
  result.image.rank = around_.rank;
  tell(frame_writer(frame_type::written).put(stored_number_).put(std::vector{std::move(result)}).take());
}

lower::outcome rank_control::await_verdict(std::unique_lock<std::mutex>& hold) {
  changed_.wait(hold, [this] { return verdict_known_; });
  return committed_ ? lower::outcome::resumed : lower::outcome::given_up;
}

lower::outcome rank_control::written(const rank_written& image) { return tell_result({image, {}}); }

lower::outcome rank_control::not_written(const std::string& why) { return tell_result({{}, why}); }

/// out: the coordinator's verdict
lower::outcome rank_control::tell_result(rank_result result) {
  std::unique_lock hold(lock_);
  tell_written(std::move(result));
  return await_verdict(hold);
}

bool rank_control::stop_asked() {
  const std::lock_guard hold(lock_);
  return stop_;
}

void rank_control::release() {
  const std::lock_guard hold(lock_);
  if (!in_checkpoint_) return;            // it was given up, and the agent has released the rank already
  in_checkpoint_ = false;
  let_go();
}

/// The order matters: a thread that is about to park sees the phase, or the epoch, which changes after it.
void rank_control::let_go() {
  clock_->end();
  around_.watch_ends(false);
  retracted_ = false;
  bridge_.current.store(lower::phase::running);
  bridge_.attention.store(clock_->always_asks() ? lower::collectives_ask : 0);
  bridge_.release_epoch.fetch_add(1);
  lower::turns_of_parked(bridge_).fetch_add(1);
  wake_all(lower::turns_of_parked(bridge_));
  released_ = true;
  changed_.notify_all();
  if (pending_ != 0) start_quiesce(pending_);
}

}  // namespace mana::control
