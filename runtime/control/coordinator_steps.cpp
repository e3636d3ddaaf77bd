// The coordinator's steps of a checkpoint, from the request to the answer.
#include <runtime/control/coordinator.hpp>
#include <runtime/control/own_words.hpp>

#include <mana/core/fault_points.hpp>

#include <algorithm>
#include <set>

namespace mana::control {

namespace {

/// Rank 0's process does the work on the store for all ranks.
std::string of_coordinator(const std::exception& error) { return std::string("rank 0, for all: ") + error.what(); }

}  // namespace

/// A wrapper script under mana may have started a program that has called MPI_Init. That program has its own
/// coordinator, which serves the interval, signals and the time limit.
bool coordinator::is_replaced() const {
  if (!around_.by_file) return false;
  try {
    return read_job_file(around_.directory).where.key != where_.key;
  } catch (const job_file_error&) {
    return false;
  }
}

/// A request during a checkpoint is served by another checkpoint afterwards: the state that the request wants saved may
/// lie after the recovery line.
void coordinator::begin_if_asked() {
  if (step_ != step::idle || ended_) return;
  if (!lost_.empty()) {
    anew_ = false;
    const bool warns = of_lost_rank() == ending::given_up;
    if (asked_ && warns && !anybody_waits()) say("mana: warning: no checkpoint: " + lost_ + "\n");
    return refuse_all(lost_);
  }
  if (!asked_) return held_until_.reset();
  if (is_replaced() && !anybody_waits()) {
    asked_ = asked_stop_ = asked_copy_ = asked_unheard_ = false;
    return held_until_.reset();
  }
  if (!around_.cannot.empty()) {
    if (anybody_waits()) refuse_clients(around_.cannot);
    return;
  }
  if (const std::string why = hurdle(); !why.empty()) return hold_request(why);
  held_until_.reset();
  asked_ = false;
  serves_unheard_ = std::exchange(asked_unheard_, false);
  stop_ = std::exchange(asked_stop_, false);
  wants_copy_ = std::exchange(asked_copy_, false);
  for (client& c : clients_) c.served = c.waits;
  if (!std::exchange(anew_, false)) {
    begun_ = std::chrono::steady_clock::now();
    deadline_ = begun_ + limit();
  }
  took_s_ = {};
  fault_point(fault::point::request_heard);
  enter(step::quiescing);
  ++number_;      // as the clock numbers the requests
  clock_->request();
  clock_->settle();
}

/// Enters the next step, if all ranks have finished this one.
void coordinator::go_on() {
  if (step_ == step::quiescing && clock_->done()) {
    fault_point(fault::point::line_found);
    enter(step::parking);
  }
  if (step_ == step::parking && progress_.all_parked() == number_) proceed();
  if (step_ == step::draining && progress_.all_drained() == number_) enter(step::writing);
  if ((step_ == step::writing || step_ == step::storing) && local_ && progress_.all_on_node() == number_) note_on_nodes();
  if (step_ == step::writing && (forked_ || local_) && progress_.all_copied() == number_) let_run_on();
  if ((step_ == step::writing || step_ == step::storing) && progress_.all_written() == number_) conclude();
}

/// Notes the time of the step that ends, even if the checkpoint is given up.
void coordinator::enter(step next) {
  const time now = std::chrono::steady_clock::now();
  if (step_ != step::idle)
    took_s_[static_cast<std::size_t>(step_)] = std::chrono::duration<double>(now - step_begun_).count();
  step_ = next;
  step_begun_ = now;
  waits_.clear();
}

/// All threads of all ranks are parked. The ranks drain, which waits for the network and so gets the time limit again.
/// Then they write, which waits for disks and has no limit.
void coordinator::proceed() {
  fault_point(fault::point::all_parked);
  try {
    generation_ = around_.begin_generation();
  } catch (const std::exception& error) {
    return give_up(of_coordinator(error));
  }
  enter(step::draining);
  deadline_ = step_begun_ + limit();
  forked_ = around_.forked && !stop_;
  local_ = around_.local && !stop_;        // a job that ends leaves its nodes
  copies_ = !local_ || wants_copy_ || joined_ || uncopied_ + 1 >= around_.copy_every;
  on_nodes_ = false;
  builds_on_.reset();
  links_.send_all(frame_writer(frame_type::proceed)
                      .put(generation_)
                      .put(static_cast<std::uint8_t>(forked_))
                      .put(static_cast<std::uint8_t>(local_))
                      .put(static_cast<std::uint8_t>(copies_))
                      .take());
}

/// INV-46 a client that waits for the nodes is answered when the images of all ranks are durable there, and not before.
void coordinator::note_on_nodes() {
  if (std::exchange(on_nodes_, true)) return;
  last_on_nodes_ = generation_.generation;
  const std::string text = said_on_nodes() + (copies_ ? ", and is being copied to " + around_.directory : "");
  for (client& c : clients_)
    if (c.served && c.what == wait_for::nodes) answer(c, true, text);
}

/// The processes that write, or the nodes, hold the memory of all ranks. The program continues. The checkpoint is
/// committed when all images are in the directory of checkpoints.
void coordinator::let_run_on() {
  clock_->end();
  enter(step::storing);
  if (joined_stop_) {       // this checkpoint can no longer stop the ranks: the next one does
    asked_ = asked_stop_ = asked_copy_ = asked_unheard_ = true;
    joined_ = joined_stop_ = false;
  }
  tell_verdict(verdict_kind::copied);
}

/// Includes the current step, which has not ended.
checkpoint_times coordinator::times_so_far() const {
  const time now = std::chrono::steady_clock::now();
  const auto took = [&](step which) {
    return which == step_ ? std::chrono::duration<double>(now - step_begun_).count()
                          : took_s_[static_cast<std::size_t>(which)].value_or(0);
  };
  return {took(step::quiescing), took(step::parking), took(step::draining), took(step::writing), took(step::storing),
          std::chrono::duration<double>(now - begun_).count()};
}

void coordinator::conclude() {
  std::string failures;
  std::vector<rank_written> images;
  std::set<std::uint64_t> bases;
  for (rank_result& r : progress_.take_results()) {
    bases.insert(r.image.builds_on.begin(), r.image.builds_on.end());
    if (!r.failure.empty()) failures += "rank " + std::to_string(r.image.rank) + ": " + r.failure + "\n";
    images.push_back(std::move(r.image));
  }
  builds_on_.emplace(bases.begin(), bases.end());
  // All images may be stored before the last rank reports `copied`.
  if (failures.empty() && step_ == step::writing && (forked_ || local_)) let_run_on();
  if (failures.empty() && !copies_) return conclude_on_nodes(images);
  if (failures.empty()) {
    try {
      fault_point(fault::point::all_written);
      around_.commit(generation_, images, times_so_far());
      fault_point(fault::point::committed_unsaid);
    } catch (const std::exception& error) {
      failures = of_coordinator(error) + "\n";
    }
  }
  if (!failures.empty()) {
    const bool was_abandoned = abandoned_;
    give_up(std::string(was_abandoned ? told_to_end_ : failures));
    // If a node cannot take an image, the next checkpoint goes to the directory, through the node or directly.
    if (!copies_ && lost_.empty() && !was_abandoned) asked_ = asked_copy_ = asked_unheard_ = true;
    return;
  }
  ++committed_;
  uncopied_ = 0;
  last_generation_ = generation_.generation;
  close_checkpoint(ending::in_directory, success(images));
}

/// The checkpoint is on the nodes, where it belongs. An empty directory keeps its number taken.
void coordinator::conclude_on_nodes(const std::vector<rank_written>& images) {
  around_.abandon(generation_);
  ++uncopied_;
  close_checkpoint(ending::on_nodes, said_on_nodes() + warnings_of(images));
}

void coordinator::give_up(const std::string& why, ending how) {
  const bool begun = step_ == step::draining || step_ == step::writing || step_ == step::storing;
  if (begun) around_.abandon(generation_);
  if (!begun || !on_nodes_) return close_checkpoint(how, why);
  close_checkpoint(how, why + (why.ends_with('\n') ? "" : "\n") + "generation " + std::to_string(generation_.generation) +
                              " is on the nodes: mana restart --local takes it from there\n");
}

/// A rank had started a collective, as far as the others know, and the collective was refused there for its arguments.
/// So the line would lie where another member is in its next collective. The ranks are released and asked again at
/// once, and the requester is not told. After the time limit on_time() ends the checkpoint, however often ranks
/// retract.
void coordinator::on_retracted(clock::request_number number) {
  if (number != number_ || (step_ != step::quiescing && step_ != step::parking)) return;
  if (std::chrono::steady_clock::now() >= deadline_) return;
  put_back();
}

void coordinator::on_waits(frame_reader& frame) {
  const auto number = frame.get<clock::request_number>();
  const int rank = frame.get<int>();
  if (number == number_ && (step_ == step::parking || step_ == step::draining)) waits_[rank] = frame.get<std::string>();
}

/// INV-70 an error of the live MPI while a rank drains gives the checkpoint up, and the earlier one stands.
void coordinator::on_undrained(frame_reader& frame) {
  const auto number = frame.get<clock::request_number>();
  const int rank = frame.get<int>();
  if (number == number_ && step_ == step::draining) give_up("rank " + std::to_string(rank) + ": " + frame.get<std::string>());
}

void coordinator::tell_verdict(verdict_kind verdict) {
  frame_writer frame(frame_type::verdict);
  links_.send_all(frame.put(static_cast<std::uint8_t>(verdict))
                      .put(static_cast<std::uint8_t>(stop_))
                      .put(static_cast<std::uint8_t>(on_nodes_))
                      .take());
}

/// First the ranks learn the outcome. Then tidy() removes what is no longer needed while they run. Then the requesters
/// learn it.
void coordinator::close_checkpoint(ending how, const std::string& text) {
  const bool committed = how == ending::in_directory, is_saved = committed || how == ending::on_nodes;
  const bool runs_on = step_ == step::storing;
  if (!runs_on) clock_->end();
  enter(step::idle);
  last_result_ = text;
  stop_ = committed && (stop_ || joined_stop_);
  const bool is_let_go = how == ending::given_up && !told_to_end_.empty();     // nothing may hold the program now
  if (is_let_go) joined_ = joined_stop_ = false;
  told_to_end_.clear();
  abandoned_ = false;
  if (!committed && joined_) {      // one more for these; the requester of this one gets its answer
    asked_ = asked_copy_ = asked_unheard_ = true;
    asked_stop_ = asked_stop_ || joined_stop_;
  }
  joined_ = joined_stop_ = false;
  if (runs_on)
    links_.send_all(frame_writer(frame_type::stored)
                        .put(static_cast<std::uint8_t>(committed))
                        .put(static_cast<std::uint8_t>(on_nodes_))
                        .put(static_cast<std::uint8_t>(builds_on_.has_value()))
                        .put(builds_on_.value_or(std::vector<std::uint64_t>()))
                        .take());
  else tell_verdict(committed ? verdict_kind::committed : verdict_kind::given_up);
  if (committed) {
    links_.flush();
    fault_point(fault::point::verdict_sent);
    around_.tidy();
  }
  bool heard = false;
  for (client& c : clients_) {
    if (!c.served) continue;
    answer(c, is_saved, text);
    heard = true;
  }
  if (is_let_go) refuse_all(text);
  if (how == ending::given_up && !heard) say("mana: warning: no checkpoint: " + text + "\n");
  if (how == ending::not_needed && around_.verbose) say("mana: no checkpoint: " + text + "\n");
  if (is_saved && around_.verbose) say("mana: checkpoint " + text + "\n");
  if (around_.interval_s > 0) next_interval_ = std::chrono::steady_clock::now() + seconds(around_.interval_s);
  if (stop_) end("the job was stopped by a checkpoint: restart it with mana restart");
}

/// Sends the last frames to everyone.
void coordinator::end(const std::string& to_clients) {
  constexpr int limit_ms = 10'000;      // for each peer that has stopped reading
  refuse_all(to_clients);
  for (client& c : clients_)
    if (c.line != nullptr) c.line->flush_all(limit_ms);
  links_.flush_all(limit_ms);
  ended_ = true;
}

/// All ranks wait in MPI_Finalize. A checkpoint that has its line is completed first. A checkpoint that is still being
/// agreed on is dropped, because nobody starts another collective. After a collective that failed on some of its
/// members only, the line would never be reached. Clients are told; for the interval alone there is nothing to warn of.
void coordinator::end_if_all_ending() {
  if (ended_ || ends_ || !all_have_come()) return;
  static const std::string why = "the program is ending: there is nothing left to save";
  if (step_ == step::quiescing && around_.where == stage::before_mpi) return;       // nothing keeps it from its line
  if (step_ == step::quiescing && around_.outlived) put_back();
  if (step_ == step::quiescing) close_checkpoint(ending::not_needed, why);
  if (step_ == step::storing && !told_to_end_.empty()) abandon_images();      // the job waits for these images alone
  if (step_ != step::idle) return;
  links_.send_all(frame_writer(frame_type::end).take());
  if (!around_.outlived) return end(why);
  if (around_.by_file) ends_ = true;        // and answers clients until rank 0 has left the live MPI's start
  else hand_over();
}

/// All ranks have come to the place where they wait for each other, or are past it.
bool coordinator::all_have_come() const {
  for (int l = 0; l < links_.number(); ++l)
    if (!progress_.is_ending(l) && !in_init_[static_cast<std::size_t>(l)]) return false;
  return true;
}

void coordinator::refuse_all(const std::string& why) {
  asked_ = asked_stop_ = asked_copy_ = asked_unheard_ = false;
  for (client& c : clients_)
    if (c.waits) answer(c, false, why);
}

void coordinator::answer(client& c, bool ok, const std::string& text) {
  c.waits = c.served = false;
  if (c.line == nullptr) return;
  c.line->send(frame_writer(frame_type::answer).put(static_cast<std::uint8_t>(ok)).put(text).take());
}

}  // namespace mana::control
