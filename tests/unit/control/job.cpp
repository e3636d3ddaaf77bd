#include "job.hpp"

#include <asm/prctl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mana/lower/signals.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace mana::control_test {

using lower::outcome;
using lower::wait_end;

rank::rank(job& owner, int number) : job_(owner), number_(number), requests_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  const auto& groups = owner.options_.groups;
  vid::group_clock* last = nullptr;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    vid::group_clock& made = clocks_.emplace_back();
    made.ggid = g + 1;
    made.check = g + 100;
    made.members = groups[g].data();
    made.size = static_cast<std::uint32_t>(groups[g].size());
    const auto& own = owner.options_.communicators;
    made.is_communicators = std::find(own.begin(), own.end(), g) != own.end();
    const bool mine = std::find(groups[g].begin(), groups[g].end(), number) != groups[g].end();
    if (!mine) continue;
    if (last != nullptr) last->next = &made;
    last = &made;
  }
  block_.self = &block_;
}

void rank::run(const std::function<void(rank&)>& program) {
  syscall(SYS_arch_prctl, ARCH_SET_GS, &block_);
  try {
    if (job_.options_.start) job_.options_.start(*this);
    if (job_.options_.before) {
      control_.begin(around_stage(control::stage::before_mpi));
      job_.options_.before(*this);
      finalize();
    }
    control_.begin(around_stage(control::stage::in_mpi));
    program(*this);
    finalize();
    if (job_.options_.after) {
      control_.end();
      control_.begin(around_stage(control::stage::after_mpi));
      job_.options_.after(*this);
      control_.leave();
      return;
    }
  } catch (const stopped&) {
  }
  control_.end();
  if (aside_.joinable()) aside_.join();
}

control::surroundings rank::around_stage(control::stage where) {
  control::surroundings s = around();
  s.where = where;
  s.by_file = where == control::stage::before_mpi;
  s.outlived = s.by_file || (where == control::stage::in_mpi && job_.options_.after);
  return s;
}

control::surroundings rank::around() {
  control::surroundings s;
  s.rank = number_;
  s.size = job_.size();
  s.directory = job_.directory_;
  s.interval_s = job_.options_.interval_s;
  s.limit_s = job_.options_.limit_s;
  s.stop_after_s = job_.options_.stop_after_s;
  s.requests = requests_.get();
  s.want_image = [this](bool wanted) { is_wanted = wanted; };
  s.clock_trace = job_.options_.clock_trace;
  s.fan_out = job_.options_.fan_out;
  s.program = "a test";
  s.broadcast = [this](void* bytes, int n) {
    auto* const at = static_cast<char*>(bytes);
    if (number_ == 0) job_.broadcast_bytes_.assign(at, at + n);
    job_.broadcast_.arrive_and_wait();
    std::memcpy(bytes, job_.broadcast_bytes_.data(), static_cast<std::size_t>(n));
    job_.broadcast_.arrive_and_wait();
  };
  s.send = [this](int to, const void* bytes, int n) { job_.pass(number_, to, bytes, n); };
  s.receive = [this](int from, void* bytes, int n) { job_.take(from, number_, bytes, n); };
  // A request is the group and how many have to have entered.
  s.begin_barrier = [this](real<kind::comm> comm) {
    const std::uint64_t group = comm.bits();
    return real<kind::request>(job::enter(job_.trivial_[group - 1], clocks_[group - 1].size) << 8 | group);
  };
  s.is_barrier_over = [this](real<kind::request>& request) {
    job::meeting& m = job_.trivial_[(request.bits() & 0xff) - 1];
    const std::lock_guard hold(m.lock);
    return m.entered >= request.bits() >> 8;
  };
  s.make_progress = [] {};       // messages go through memory: there is nothing to drive
  s.clock = job_.options_.clock;
  s.forked = job_.options_.forked;
  s.local = job_.options_.local;
  s.copy_every = job_.options_.copy_every;
  s.stored = [this](const control::commit_info&, control::stored_end end) {
    ++(end.committed ? told_stored : told_lost);
    if (end.on_nodes) ++told_on_nodes;
    if (end.is_known) told_bases = static_cast<int>(end.builds_on.size());
    tell_of_event();
  };
  s.advance = [this] {
    return control::advance_of(number_, 1000u + static_cast<unsigned>(number_), job_.done[static_cast<std::size_t>(number_)]);
  };
  s.clocks = [this] { return &clocks_[0]; };
  s.signal_threads = [this] { ++signals; };
  s.all_parked = [this] { return !never_parks; };
  s.begin_generation = [this] {
    if (job_.before_generation) job_.before_generation();
    ++job_.generation_;
    return control::commit_info{"generation-" + std::to_string(job_.generation_), job_.generation_, 1000 + job_.generation_};
  };
  s.commit = [this](const control::commit_info& generation, std::span<const control::rank_written> images,
                    const control::checkpoint_times&) {
    if (job_.before_commit) job_.before_commit();
    if (!job_.options_.forked && !job_.options_.local) job_.check_consistency();     // else they run
    for (std::size_t i = 0; i < images.size(); ++i)
      if (images[i].rank != static_cast<int>(i) || images[i].checksum != job_.generation_) ++job_.inconsistent;
    job_.committed.push_back(generation.generation);
    ++job_.commits;
    tell_of_event();
  };
  s.tidy = [this] { ++job_.tidied; };
  s.abandon = [this](const control::commit_info&) { ++job_.abandoned; };
  return s;
}

/// As a wrapper of a collective does.
void rank::barrier(std::size_t group) {
  vid::group_clock& clock = clocks_[group];
  const lower::collective_start start{&clock, real<kind::comm>(group + 1), 1, 1};
  for (;;) {
    clock.seq.fetch_add(1);
    if (bridge_.attention.load(std::memory_order_relaxed) == 0) break;
    if (control_.clock_enter(start) == wait_end::done) break;
    checkpoint();
  }
  job::meeting& m = job_.meetings_[group];
  const std::uint64_t whole = job::enter(m, clock.size);
  std::unique_lock hold(m.lock);
  m.changed.wait(hold, [&] { return m.entered >= whole; });
}

void rank::retract(std::size_t group) {
  clocks_[group].seq.fetch_sub(1);
  if (asked()) control_.clock_retract();
}

std::uint64_t job::enter(meeting& m, std::uint32_t members) {
  const std::lock_guard hold(m.lock);
  const std::uint64_t whole = (m.entered / members + 1) * members;
  ++m.entered;
  m.changed.notify_all();
  return whole;
}

void job::pass(int from, int to, const void* bytes, int n) {
  letterbox& box = letterboxes_[static_cast<std::size_t>(to)];
  const std::lock_guard hold(box.lock);
  const auto* const at = static_cast<const char*>(bytes);
  box.from[from].insert(box.from[from].end(), at, at + n);
  box.changed.notify_all();
}

void job::take(int from, int to, void* bytes, int n) {
  letterbox& box = letterboxes_[static_cast<std::size_t>(to)];
  std::unique_lock hold(box.lock);
  std::deque<char>& held = box.from[from];
  box.changed.wait(hold, [&] { return held.size() >= static_cast<std::size_t>(n); });
  std::copy_n(held.begin(), n, static_cast<char*>(bytes));
  held.erase(held.begin(), held.begin() + n);
}

void rank::send(int to, int value) {
  job::mailbox& box = job_.mailboxes_[static_cast<std::size_t>(to)];
  const std::lock_guard hold(box.lock);
  box.held.push_back({number_, value});
}

/// As a wrapper of a receive does: what is parked goes on waiting.
int rank::recv(int from) {
  job::mailbox& box = job_.mailboxes_[static_cast<std::size_t>(number_)];
  bool announced = false;
  for (;;) {
    {
      const std::lock_guard hold(box.lock);
      const auto fits = [from](const job::message& m) { return from < 0 || m.from == from; };
      const auto found = std::find_if(box.held.begin(), box.held.end(), fits);
      if (found != box.held.end()) {
        const int value = found->value;
        box.held.erase(found);
        if (announced) control_.clock_wait_end();
        return value;
      }
    }
    if (!asked()) {
      rest();
      continue;
    }
    announced = true;
    if (control_.clock_wait(&from, from < 0 ? -1 : 1) == wait_end::attention) checkpoint();
  }
}

void rank::let_park() {
  never_parks = false;
  bridge_.parked_count.fetch_add(1);
  syscall(SYS_futex, &bridge_.parked_count, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void rank::compute() {
  if (asked()) sched_yield();
  else rest();
  if (at_line()) checkpoint();
}

void rank::ask(bool stop) {
  const std::uint64_t amount = lower::request_amount(stop);
  if (write(requests_.get(), &amount, sizeof amount) != sizeof amount) std::abort();
}

void rank::tell_of_end(int signal) {
  bridge_.last_end_signal = static_cast<std::uint64_t>(signal);
  const std::uint64_t amount = lower::told_to_end_amount;
  if (write(requests_.get(), &amount, sizeof amount) != sizeof amount) std::abort();
}

bool rank::go_on() {
  if (number_ != 0) return recv(0) != 0;
  const bool on = !job_.asked_to_end;
  for (int r = 1; r < job_.size(); ++r) send(r, on ? 1 : 0);
  return on;
}

void rank::finalize() {
  for (;;) {
    const std::optional<wait_end> end = control_.ending();
    if (!end) rest();
    else if (*end == wait_end::done) return;
    else checkpoint();
  }
}

/// As checkpoint::run_checkpoint does. The image's checksum tells which generation it is of.
void rank::checkpoint() {
  outcome how = outcome::given_up;
  if (control_.park_others() != 0) {
    const std::uint64_t generation = control_.generation().generation;
    const bool is_drained = drain();
    if (is_drained) await([&] { return !writes_slowly || !is_wanted; });
    if (!is_drained) how = outcome::given_up;
    else if (!is_wanted && !control_.forked() && !control_.local()) how = control_.not_written("was given up");
    else if (cannot_write) how = control_.not_written("the disk is full");
    else if (!control_.copies() && no_place) how = control_.not_written("the node is full");
    else if (control_.forked() || control_.local()) how = store_aside(generation);
    else how = control_.written({number_, 1000, 2000, generation, 0, {}, "", {}, 0.5});
  }
  ++ended_as[static_cast<int>(how)];
  tell_of_event();
  if (how == outcome::resumed && control_.stop_asked()) throw stopped{};
  control_.release();
}

/// out: false: the checkpoint was given up
bool rank::drain() {
  if (cannot_drain) {
    control_.not_drained("MPI_Improbe on MPI_COMM_WORLD: MPI_ERR_OTHER");
    return false;
  }
  if (drains_for_ever) control_.drain_waits("waits for 1 message of rank 0 on MPI_COMM_WORLD");
  while (drains_for_ever && control_.drain_turn() != lower::drain_order::end) rest();
  if (control_.drain_turn() == lower::drain_order::end) {
    control_.not_drained({});
    return false;
  }
  control_.drained();
  return true;
}

outcome rank::store_aside(std::uint64_t generation) {
  if (aside_.joinable()) aside_.join();
  if (control_.generation().nonce != 1000 + generation) ++job_.inconsistent;
  if (control_.local() && !no_place) control_.on_node();
  aside_ = std::thread([this, generation] {
    await([&] { return !job_.stores_slowly || !is_wanted; });
    const std::vector<std::uint64_t> builds_on{1000, 2000 + static_cast<std::uint64_t>(number_)};
    std::vector<std::string> warnings;
    if (has_no_parity) warnings.emplace_back("without parity");
    control_.stored({{number_, 1000, 2000, generation, 0, builds_on, "", warnings, 0.5}, cannot_store ? "killed" : is_wanted ? "" : "was given up"});
  });
  return control_.copied();
}

job::job(std::string directory, options o, std::function<void(rank&)> program)
    : directory_(std::move(directory)), options_(std::move(o)), meetings_(options_.groups.size()), trivial_(options_.groups.size()),
      mailboxes_(options_.groups[0].size()), letterboxes_(options_.groups[0].size()),
      broadcast_(static_cast<std::ptrdiff_t>(options_.groups[0].size()) - (options_.absent < 0 ? 0 : 1)) {
  // As rank 0 does before its MPI runs.
  control::write_job_file(directory_, control::starting_job(size(), "a test"));
  for (int r = 0; r < size(); ++r) ranks_.push_back(std::make_unique<rank>(*this, r));
  for (int r = 0; r < size(); ++r)
    if (r != options_.absent) threads_.emplace_back([this, r, program] { at(r).run(program); });
}

void job::finish() {
  asked_to_end = true;
  for (std::thread& t : threads_)
    if (t.joinable()) t.join();
}

int job::ended_as(outcome how) const {
  int all = 0;
  for (const auto& r : ranks_) all += r->ended_as[static_cast<int>(how)];
  return all;
}

/// Called while all ranks are parked: nobody is in a barrier, and all members have been in the same number of them. A
/// communicator's clock has begun anew.
void job::check_consistency() {
  for (std::size_t g = 0; g < options_.groups.size(); ++g) {
    const auto& members = options_.groups[g];
    if (meetings_[g].entered % members.size() != 0) ++inconsistent;
    const std::uint64_t count = meetings_[g].entered / members.size();
    for (const int r : members) {
      const vid::group_clock& clock = at(r).clocks_[g];
      if (clock.seq.load() != (clock.is_communicators ? 0 : count)) ++inconsistent;
    }
  }
}

}  // namespace mana::control_test
