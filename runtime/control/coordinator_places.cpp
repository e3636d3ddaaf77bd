// Places of the ranks in their programs, as the coordinator sees them: ranks that are connected, have gone, or cannot
// be saved now. Also the change from one coordinator to the next.
#include <runtime/control/coordinator.hpp>
#include <runtime/control/own_words.hpp>

#include <algorithm>

namespace mana::control {

namespace {

/// If ranks have not found their coordinator, or reached MPI_Init, within this time, a request is refused.
constexpr double come_limit_s = 15;

std::string plural(const clock::rank_range& ranks, const char* one, const char* many) {
  return clock::describe(ranks) + (ranks.size() == 1 ? one : many);
}

}  // namespace

void coordinator::on_place(int link, frame_reader& frame) {
  switch (frame.type()) {
    case frame_type::in_init:
      in_init_[static_cast<std::size_t>(link)] = true;
      if (step_ == step::quiescing) put_back();       // it had not heard of the request
      break;
    case frame_type::word: {
      const int rank = frame.get<int>();
      if (!links_.ranks(link).has(rank)) throw wire_error();
      words_[rank] = frame.get<std::string>();
      break;
    }
    default: break;
  }
}

void coordinator::read_orders() {
  orders_.receive();
  while (const auto frame = orders_.next()) {
    frame_reader order(*frame);
    if (order.get<std::uint8_t>() != 0) end_of_process();
    else hand_over();
  }
}

void coordinator::on_lost(int link) {
  gone_[static_cast<std::size_t>(link)] = true;
  lose(links_.ranks(link));
  ended_ = ended_ || (links_.none_left() && !around_.by_file);
}

/// The reason why a rank's connection ended.
std::string coordinator::end_of(int rank) const {
  const auto word = words_.find(rank);
  const bool silent = word == words_.end() || word->second.empty();
  return "rank " + std::to_string(rank) + (silent ? " has ended, or its node cannot be reached" : " " + word->second);
}

/// Before MPI_Init a lost rank may connect again: its process may have become another program under mana.
/// in: ranks  one rank, or a process and all that are reached through it
void coordinator::lose(const clock::rank_range& ranks) {
  const std::string first = end_of(ranks.first);
  const std::string text = ranks.size() == 1 ? first : clock::describe(ranks) + " are cut off: " + first;
  if (stands_ && !ends_) tell_stands(false);
  if (lost_.empty() && !around_.by_file) lost_ = text;
  if (step_ != step::idle) give_up(text, of_lost_rank());
}

/// After MPI_Finalize ranks end one by one, and no checkpoint is needed: nothing to warn of.
coordinator::ending coordinator::of_lost_rank() const {
  return around_.where == stage::after_mpi ? ending::not_needed : ending::given_up;
}

/// INV-62 no rank waits for a rank that waits in MPI_Init before the live MPI starts: all ranks have been told that all
/// are connected. As soon as one of them is gone, all ranks continue.
void coordinator::let_stand() {
  if (!around_.by_file || ends_) return;
  for (int l = 0; l < links_.number(); ++l) {
    if (!links_.is_here(l) || !gone_[static_cast<std::size_t>(l)]) continue;
    gone_[static_cast<std::size_t>(l)] = false;       // another program has taken the place of the old one
    words_.erase(links_.ranks(l).first);
  }
  if (!stands_ && links_.all_here() && !any_in_init()) tell_stands(true);
}

void coordinator::tell_stands(bool stands) {
  stands_ = stands;
  links_.send_all(frame_writer(frame_type::stands).put(static_cast<std::uint8_t>(stands)).take());
}

bool coordinator::any_in_init() const {
  return std::any_of(in_init_.begin(), in_init_.end(), [](bool is) { return is; });
}

bool coordinator::is_gone(int link) const {
  const auto l = static_cast<std::size_t>(link);
  return gone_[l] && !in_init_[l];
}

bool coordinator::anybody_waits() const {
  return std::any_of(clients_.begin(), clients_.end(), [](const client& c) { return c.waits; });
}

/// Why a checkpoint cannot begin now, although it may later: a line for each rank, or nothing.
std::string coordinator::hurdle() const {
  if (ends_) return "the program is in MPI_Init\n";
  std::string text;
  for (int l = 0; l < links_.number(); ++l) {
    const clock::rank_range ranks = links_.ranks(l);
    if (in_init_[static_cast<std::size_t>(l)])
      text += plural(ranks, " is", " are") + " in MPI_Init, where no checkpoint is possible until all ranks are in "
                                             "it\n";
    else if (is_gone(l)) text += end_of(ranks.first) + "\n";
    else if (!links_.is_here(l) && around_.by_file)
      text += plural(ranks, " has", " have") + " not been heard of: not started yet, or its node does not see " +
              around_.directory + "\n";
    else if (!links_.is_here(l)) text += plural(ranks, " is", " are") + " not connected yet\n";
  }
  return text;
}

/// Ranks are still connecting, or are in the live MPI's start, or some have gone. If some have gone, a client hears so
/// at once. A request that no client waits for is held without a limit.
void coordinator::hold_request(const std::string& why) {
  if (is_held() && (*held_until_ != time::max() || !anybody_waits())) return;
  const time now = std::chrono::steady_clock::now();
  bool gone = false;
  for (int l = 0; l < links_.number(); ++l) gone = gone || is_gone(l);
  const double limit = around_.limit_s > 0 ? around_.limit_s : default_limit_s;
  const bool come_by_file = around_.by_file && !ends_;
  if (!is_held()) held_since_ = now;
  if (!anybody_waits()) held_until_ = time::max();
  else held_until_ = now + seconds(gone && !ends_ ? 0 : come_by_file ? std::min(limit, come_limit_s) : limit);
  if (around_.verbose) say("mana: the checkpoint waits: " + why);
}

/// Refuses the clients. Requests of a signal or the interval remain, and are served as soon as possible.
void coordinator::refuse_clients(const std::string& why) {
  const bool unheard = asked_unheard_, stop = asked_stop_, copy = asked_copy_;
  refuse_all(why);
  asked_ = asked_unheard_ = unheard;
  asked_stop_ = unheard && stop;
  asked_copy_ = unheard && copy;
}

void coordinator::refuse_held() {
  held_until_.reset();
  const std::string why = hurdle();
  const bool early = around_.where == stage::before_mpi && around_.has_mpi && !ends_;
  refuse_clients(early ? "the program has not called MPI_Init on all ranks, and\n" + why : why);
}

/// Postpones the checkpoint that is being agreed on. Its clients are not told.
void coordinator::put_back() {
  clock_->end();
  enter(step::idle);
  asked_ = anew_ = true;
  asked_stop_ = asked_stop_ || stop_ || joined_stop_;
  asked_copy_ = asked_copy_ || wants_copy_ || joined_;
  asked_unheard_ = asked_unheard_ || serves_unheard_ || joined_;
  joined_ = joined_stop_ = stop_ = false;
  tell_verdict(verdict_kind::given_up);
}

/// The process is rank 0's, so that nobody can ask for a checkpoint after it ends.
void coordinator::end_of_process() {
  if (ended_) return;
  lost_ = end_of(0);
  if (step_ != step::idle) give_up(lost_, of_lost_rank());
  end(lost_);
}

/// Writes the next coordinator's file before it sends clients there.
void coordinator::hand_over() {
  if (ended_) return;
  if (step_ != step::idle) give_up("the program has continued");
  try {
    write_job_file(around_.directory, starting_job(around_.size, around_.program,
                                                   around_.where == stage::before_mpi ? "is in MPI_Init" : "is in MPI_Finalize"));
  } catch (const std::exception&) {
    // The next coordinator reports this failure when it writes its own file.
  }
  constexpr int limit_ms = 10'000;
  for (client& c : clients_)
    if (c.line != nullptr) {
      if (c.waits) c.line->send(frame_writer(frame_type::again).take());
      c.line->flush_all(limit_ms);
    }
  links_.flush_all(limit_ms);
  ended_ = gave_way_ = true;
}

}  // namespace mana::control
