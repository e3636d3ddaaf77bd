// From the recovery line to "nothing in flight": outstanding collectives are completed, then every message that was
// sent is received, into its posted receive or into the inbox. Runs on the thread that called MPI_Init while all others
// are parked, perhaps in a signal handler that interrupted malloc: it allocates with mmap only. A drain may be given up at
// any turn: what it has received is in the inbox then, which the program looks into first.
#pragma once
#include <mana/object/comm/receive_held.hpp>
#include <mana/checkpoint/drain/synchronous.hpp>
#include <mana/object/request/pool.hpp>
#include <mana/call/scope.hpp>

#include <utility>

namespace mana::drain {

/// Requests that are tested in one visit to the lower half, which makes progress once for all of them; no more than it
/// takes without memory from malloc. Receives and sends are never in one of them: the two parts of an MPI_Isendrecv, of
/// which the first to be retired takes the other's place, are not tested together.
class test_batch {
 public:
  void add(wrap::request_entry& e) noexcept {
    entries_[n_] = &e;
    reals_[n_] = e.real;
    statuses_[n_] = {};
    if (++n_ == most) test();
  }
  void test() noexcept {
    const lower::services& s = *lower::the_bridge().service;
    const int n = std::exchange(n_, 0);
    if (n > 0) lower::cross([&] { return s.test_some(n, reals_, statuses_); });
    for (int i = 0; i < n; ++i) {
      if (reals_[i] != 0) {
        ++pending_;
        continue;
      }
      wrap::retire(*entries_[i], statuses_[i]);
      // A message that is too long is the program's error, and so known; others may have lost one.
      if (const int error = statuses_[i].error; error != neutral::success && error != neutral::err_truncate)
        error_ = error, on_ = entries_[i]->what.messages;
    }
  }
  int pending() const noexcept { return pending_; }
  /// Of an operation that ended otherwise than MPI lets it; neutral class.
  int error() const noexcept { return error_; }
  const vid::traffic* on() const noexcept { return on_; }

 private:
  static constexpr int most = 64;
  int n_ = 0, pending_ = 0, error_ = neutral::success;
  const vid::traffic* on_ = nullptr;
  wrap::request_entry* entries_[most];
  std::uint64_t reals_[most];
  neutral::status statuses_[most];
};

/// Tests every active request of which `wanted` says yes, once.
/// judge: hears of errors      out: how many of them are still pending
template <class Wanted>
inline int test_requests(Wanted&& wanted, progress* judge = nullptr) noexcept {
  test_batch batch;
  vid::table<kind::request>().for_each_unordered([&](wrap::request_entry& e) {
    if (e.what.state == vid::request_state::active && e.real != 0 && wanted(e.what)) batch.add(e); });
  batch.test();
  if (judge != nullptr) judge->check(batch.error(), "MPI_Test", batch.on());
  return batch.pending();
}

inline bool is_collective(const vid::descriptor<kind::request>& r) noexcept {
  return r.form == vid::request_form::collective;
}
inline bool is_receive(const vid::descriptor<kind::request>& r) noexcept {
  return r.form == vid::request_form::recv || r.form == vid::request_form::matched_recv;
}
inline bool is_send(const vid::descriptor<kind::request>& r) noexcept {
  return r.form == vid::request_form::send || r.form == vid::request_form::buffered;
}

/// Receives into the inbox everything that has arrived on one communicator and matches no posted receive.
inline void empty_channel(progress& judge, const vid::descriptor<kind::comm>& comm, std::uint64_t real_comm) noexcept {
  const lower::services& s = *lower::the_bridge().service;
  if (real_comm == 0 || comm.messages == nullptr) return;
  while (!judge.failed()) {
    int there = 0;
    std::uint64_t message = 0;
    neutral::status status{};
    const int rc = lower::cross(
        [&] { return s.mprobe(neutral::any_source, neutral::any_tag, real_comm, 0, &there, &message, &status); });
    if (judge.check(rc, "MPI_Improbe", comm.messages) != neutral::success || there == 0) return;
    vid::held_message* held = nullptr;
    if (judge.check(receive_held(comm.context, message, status, held), "MPI_Mrecv", comm.messages) != neutral::success) return;
    wrap::library().inbox.append(held);
    wrap::count_received(*comm.messages, status.source);
  }
}

/// Matched messages that the application has not received yet become held ones: their real handle dies with the
/// lower half.
inline void hold_matched(progress& judge) noexcept {
  vid::table<kind::message>().for_each_unordered([&](vid::entry<kind::message>& e) {
    if (judge.failed() || e.what.held != nullptr || e.real == 0) return;
    if (judge.check(receive_held(0, e.real, e.what.status, e.what.held), "MPI_Mrecv", e.what.messages) != neutral::success)
      return;
    e.real = 0;
    wrap::count_received(*e.what.messages, e.what.status.source);
  });
}

/// Calls f(communicator, its real handle) for all that messages may come on.
template <class F>
inline void for_each_channel(F&& f) noexcept {
  const wrap::library_state& lib = wrap::library();
  for (const auto* own : {&lib.world, &lib.self, &lib.hidden, &lib.partitioned}) f(own->what, own->real);
  vid::table<kind::comm>().for_each_unordered([&](const vid::entry<kind::comm>& e) { f(e.what, e.real); });
}

/// INV-8 after the drain, which is over on all ranks when run() says true: sent == received on every communicator that both
/// ends have, for every pair of ranks; no request but receives is active, and no active receive has a message that could
/// match it.
/// Because: counts were exchanged with all threads parked, so they do not grow; each rank then receives all that was
/// sent to it; sends complete by their receivers' progress; the barriers keep everyone progressing until all are done.
/// Counts belong to a communicator: what was sent on one that its receiver has freed nobody will receive.
class drain_run {
 public:
  /// out: false: it failed here (why() says how) or was given up
  bool run() noexcept {
    const lower::services& s = *lower::the_bridge().service;
    judge_.check(lower::cross([&] { return s.drain_begin(); }), "MPI_Ibarrier");
    const auto collectives = [&] { return test_requests(is_collective, &judge_); };
    while (collectives() > 0)
      if (!judge_.next([&](sentence& said) { said << "waits for non-blocking collectives to complete"; })) return false;
    lower::cross([&] { s.fault_point("collectives_completed"); });
    tell_counts();
    hold_matched(judge_);
    return pass_barrier([] { return true; }) && pass_barrier([this] { return is_done(); });
  }
  const char* why() const noexcept { return judge_.failed() ? judge_.why() : nullptr; }

 private:
  /// To each rank that was sent a message since MPI_Init: how many, by communicator, and which were sent synchronously.
  void tell_counts() noexcept {
    wrap::library_state& lib = wrap::library();
    const int ranks = static_cast<int>(lower::the_bridge().world_size);
    std::size_t most = static_cast<std::size_t>(std::min(lib.ended_count, wrap::most_ended)), open = 0;
    for (const vid::traffic* t = lib.traffics; t != nullptr; t = t->next) {
      for (int peer = 0; peer < t->peers->size; ++peer) most += t->counts[peer].sent != 0;
      if (t->synchronous != nullptr) open += t->synchronous->open.load();
    }
    outbox<count_row> counts(most);
    outbox<synchronous_row> asked(open);
    for (const vid::traffic* t = lib.traffics; t != nullptr; t = t->next)
      for (int peer = 0; peer < t->peers->size; ++peer)
        if (t->counts[peer].sent != 0)
          counts.add(t->peers->world_ranks[peer], {t->name, t->own_rank, 0, t->counts[peer].sent});
    for (std::uint64_t i = 0; i < std::min(lib.ended_count, wrap::most_ended); ++i)
      counts.add(lib.ended[i].world_rank, {lib.ended[i].name, lib.ended[i].from, 0, lib.ended[i].sent});
    ask_about_synchronous(asked);
    counts.sort();
    asked.sort();
    for (int to; !judge_.failed() && (to = std::min(counts.next_receiver(ranks), asked.next_receiver(ranks))) < ranks;)
      judge_.check(post(to, mail_kind::counts, counts.take(to), asked.take(to)), "MPI_Issend");
  }

  /// Enters the barrier when `is_ready` says so, and receives messages and mails until all ranks have entered it.
  template <class IsReady>
  bool pass_barrier(IsReady&& is_ready) noexcept {
    const lower::services& s = *lower::the_bridge().service;
    for (bool is_in = false;;) {
      look();
      if (judge_.failed()) return false;
      is_in = is_in || (is_ready() && unsent_ == 0);
      int over = 0;
      if (is_in && judge_.check(lower::cross([&] { return s.drain_barrier(&over); }), "MPI_Ibarrier") != neutral::success)
        return false;
      if (over != 0) return true;
      if (!judge_.next([this](sentence& said) { describe(said); })) return false;
    }
  }

  void look() noexcept {
    const lower::services& s = *lower::the_bridge().service;
    judge_.check(lower::cross([&] { return s.drain_look(&mails_, &unsent_); }), "MPI_Iprobe");
    test_requests(is_receive, &judge_);
    for_each_channel([this](const auto& comm, std::uint64_t real) { empty_channel(judge_, comm, real); });
    sends_ = test_requests(is_send, &judge_);
    for_each_mail(mails_, [this](const mail_view& m) { read(m); });
  }

  /// Messages of the mail's sender that have yet to arrive, on communicators of which this rank has counts.
  static std::uint64_t missing(const count_row& row) noexcept {
    const vid::traffic* const t = traffic_of(row.comm);
    if (t == nullptr) return 0;
    const std::uint64_t got = t->counts[row.from].received;
    return row.sent > got ? row.sent - got : 0;
  }

  void read(const mail_view& m) noexcept {
    if (m.kind() == mail_kind::answers) {
      for (std::uint32_t i = 0; i < m.first_rows(); ++i) take_answer(m.first<answer_row>(i));
      return;
    }
    bool& answered = answered_[static_cast<std::size_t>(m.from())];
    if (answered) return;
    for (std::uint32_t i = 0; i < m.first_rows(); ++i)
      if (missing(m.first<count_row>(i)) != 0) return;
    answered = true;
    outbox<answer_row> answers(m.second_rows());
    for (std::uint32_t i = 0; i < m.second_rows(); ++i)
      answers.add(m.from(), judge(m.second<count_row, synchronous_row>(i), m.from()));
    if (answers.size() != 0)
      judge_.check(post(m.from(), mail_kind::answers, answers.take(m.from()), std::span<const addressed<answer_row>>()),
                   "MPI_Issend");
  }

  /// After the first barrier: then all mails with counts are here.
  bool is_done() noexcept {
    bool all = sends_ == 0 && !has_questions();
    for_each_mail(mails_, [&](const mail_view& m) {
      all = all && (m.kind() != mail_kind::counts || answered_[static_cast<std::size_t>(m.from())]); });
    return all;
  }

  void describe(sentence& said) noexcept {
    for_each_mail(mails_, [&](const mail_view& m) {
      for (std::uint32_t i = 0; m.kind() == mail_kind::counts && i < m.first_rows(); ++i) {
        const count_row row = m.first<count_row>(i);
        if (const std::uint64_t n = missing(row); n != 0)
          said << (said.empty() ? "waits for " : ", for ") << static_cast<std::int64_t>(n) << (n == 1 ? " message" : " messages")
               << " of rank " << m.from() << " on " << *traffic_of(row.comm);
      }
    });
    vid::table<kind::request>().for_each_unordered([&](const wrap::request_entry& e) {
      if (e.what.state == vid::request_state::active && e.real != 0 && is_send(e.what) && e.what.peer >= 0)
        said << (said.empty() ? "waits for " : ", for ") << "a send to rank "
             << e.what.messages->peers->world_ranks[e.what.peer] << " on " << *e.what.messages << " to complete";
    });
  }

  progress judge_;
  int mails_ = 0, unsent_ = 0, sends_ = 0;
  lower::mapped_array<bool> answered_{lower::the_bridge().world_size};
};

/// out: INV-8 holds; false: the checkpoint has been given up on all ranks
inline bool drain_all() noexcept {
  const lower::services& s = *lower::the_bridge().service;
  drain_run run;
  if (run.run()) {
    wrap::library().ended_count = 0;           // all have been told
    lower::cross([&] { s.drained(); });
    return true;
  }
  forget_questions();
  lower::cross([&] { s.not_drained(run.why()); });
  return false;
}

}  // namespace mana::drain
