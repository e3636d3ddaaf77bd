// From the recovery line to "nothing in flight". Outstanding collectives are completed. Then every message that was
// sent is received, into its posted receive or into the inbox. The drain runs on the thread that called MPI_Init while
// all others are parked, perhaps in a signal handler that interrupted malloc: it allocates with mmap only. A drain may
// be given up at any turn. The messages that it has received stay in the inbox, which the program reads first.
#pragma once
#include <mana/checkpoint/drain/synchronous.hpp>
#include <mana/object/classes.hpp>

#include <utility>

namespace mana::checkpoint {

/// INV-8 after the drain, which is over on all ranks when run() says true: sent == received on every communicator that
/// both ends have, for every pair of ranks. No request except receives is active. No active receive has a message that
/// could match it.
/// Because: counts were exchanged with all threads parked, so they do not grow. Each rank then receives all that was
/// sent to it. Sends complete by their receivers' progress. The barriers keep all ranks progressing until all are done.
/// Counts belong to a communicator. If a receiver has freed it, nobody will receive the messages sent on it.
template <class Classes>
class drain_run {
 public:
  /// out: false: it failed here (why() says how) or was given up
  bool run() noexcept {
    const lower::services& s = *lower::the_bridge().service;
    judge_.check(lower::cross([&] { return s.drain_begin(); }), "MPI_Ibarrier");
    while (complete_begun() > 0)
      if (!judge_.next([&](drain::sentence& said) { said << "waits for non-blocking collectives to complete"; }))
        return false;
    lower::cross([&] { s.fault_point("collectives_completed"); });
    tell_counts();
    for_each_class<Classes>([&]<class Class>(Class) {
      if constexpr (requires { Class::hold(judge_); }) Class::hold(judge_);
    });
    return pass_barrier([] { return true; }) && pass_barrier([this] { return is_done(); });
  }
  const char* why() const noexcept { return judge_.failed() ? judge_.why() : nullptr; }

 private:
  int complete_begun() noexcept {
    int under_way = 0;
    for_each_class<Classes>([&]<class Class>(Class) {
      if constexpr (requires { Class::complete(judge_); }) under_way += Class::complete(judge_);
    });
    return under_way;
  }

  /// Tells each rank how many messages this rank has sent to it, by communicator, and which ones synchronously.
  void tell_counts() noexcept {
    object::comm_state& all = object::comms();
    const int ranks = static_cast<int>(lower::the_bridge().world_size);
    std::size_t most = static_cast<std::size_t>(std::min(all.ended_count, object::most_ended)), open = 0;
    for (const object::traffic* t = all.traffics; t != nullptr; t = t->next) {
      for (int peer = 0; peer < t->peers->size; ++peer) most += t->counts[peer].sent != 0;
      if (t->synchronous != nullptr) open += t->synchronous->open.load();
    }
    outbox<count_row> counts(most);
    outbox<synchronous_row> asked(open);
    for (const object::traffic* t = all.traffics; t != nullptr; t = t->next)
      for (int peer = 0; peer < t->peers->size; ++peer)
        if (t->counts[peer].sent != 0)
          counts.add(t->peers->world_ranks[peer], {t->name, t->own_rank, 0, t->counts[peer].sent});
    for (std::uint64_t i = 0; i < std::min(all.ended_count, object::most_ended); ++i)
      counts.add(all.ended[i].world_rank, {all.ended[i].name, all.ended[i].from, 0, all.ended[i].sent});
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
      if (!judge_.next([this](drain::sentence& said) { describe(said); })) return false;
    }
  }

  void look() noexcept {
    const lower::services& s = *lower::the_bridge().service;
    judge_.check(lower::cross([&] { return s.drain_look(&mails_, &unsent_); }), "MPI_Iprobe");
    pending_ = 0;
    for_each_class<Classes>([&]<class Class>(Class) {
      if constexpr (requires { Class::look(judge_); }) pending_ += Class::look(judge_);
    });
    for_each_mail(mails_, [this](const mail_view& m) { read(m); });
  }

  /// How many messages of the mail's sender have yet to arrive, on communicators of which this rank has counts.
  static std::uint64_t missing(const count_row& row) noexcept {
    const object::traffic* const t = traffic_of(row.comm);
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

  /// Call it after the first barrier: then all mails with counts have come.
  bool is_done() noexcept {
    bool all = pending_ == 0 && !has_questions();
    for_each_mail(mails_, [&](const mail_view& m) {
      all = all && (m.kind() != mail_kind::counts || answered_[static_cast<std::size_t>(m.from())]); });
    return all;
  }

  void describe(drain::sentence& said) noexcept {
    for_each_mail(mails_, [&](const mail_view& m) {
      for (std::uint32_t i = 0; m.kind() == mail_kind::counts && i < m.first_rows(); ++i) {
        const count_row row = m.first<count_row>(i);
        if (const std::uint64_t n = missing(row); n != 0)
          said << (said.empty() ? "waits for " : ", for ") << static_cast<std::int64_t>(n) << (n == 1 ? " message" : " messages")
               << " of rank " << m.from() << " on " << *traffic_of(row.comm);
      }
    });
    for_each_class<Classes>([&]<class Class>(Class) {
      if constexpr (requires { Class::describe(said); }) Class::describe(said);
    });
  }

  drain::progress judge_;
  int mails_ = 0, unsent_ = 0, pending_ = 0;
  lower::mapped_array<bool> answered_{lower::the_bridge().world_size};
};

/// out: INV-8 holds; false: the checkpoint has been given up on all ranks
template <class Classes>
inline bool drain_all() noexcept {
  const lower::services& s = *lower::the_bridge().service;
  drain_run<Classes> run;
  if (run.run()) {
    object::comms().ended_count = 0;           // all ranks know them
    lower::cross([&] { s.drained(); });
    return true;
  }
  forget_questions();
  lower::cross([&] { s.not_drained(run.why()); });
  return false;
}

}  // namespace mana::checkpoint
