// Texts of the coordinator about a checkpoint: for its clients, for its watchers, and about the ranks that delay it.
#include <runtime/control/coordinator.hpp>

#include <runtime/words/amounts.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace mana::control {

namespace {

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

constexpr const char* stage_names[] = {"in MPI", "before MPI_Init", "after MPI_Finalize"};
constexpr char without_mpi[] = "without MPI";
constexpr const char* step_names[] = {"running", "quiescing", "parking", "draining", "writing", "storing"};

}  // namespace

std::string coordinator::said_on_nodes() const {
  return "generation " + std::to_string(generation_.generation) + " is on the nodes of all " + std::to_string(around_.size) +
         " ranks";
}

std::string coordinator::warnings_of(const std::vector<rank_written>& images) {
  std::string warnings;
  for (const rank_written& w : images)
    for (const std::string& text : w.warnings) warnings += "\nwarning: rank " + std::to_string(w.rank) + ": " + text;
  return warnings;
}

std::string coordinator::success(const std::vector<rank_written>& images) const {
  std::uint64_t bytes = 0;
  for (const rank_written& w : images) bytes += w.file_bytes;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun_;
  return generation_.generation_path + ": " + std::to_string(around_.size) + " ranks, " +
         words::human_bytes(bytes) + ", " + decimal(took.count()) + " s" + warnings_of(images);
}

std::string coordinator::too_late() const {
  return "the job did not come to a point where it can be saved within " +
         decimal(std::chrono::duration<double>(limit()).count()) + " s:\n" + waiting_for();
}

/// A text about the ranks behind a link, in their own words, or `one` or `many` with their names.
std::string coordinator::said_by(const clock::rank_range& ranks, const char* one, const char* many) const {
  std::string text;
  for (auto at = waits_.lower_bound(ranks.first); at != waits_.end() && ranks.has(at->first); ++at)
    text += "rank " + std::to_string(at->first) + " " + at->second + "\n";
  return text.empty() ? clock::describe(ranks) + (ranks.size() == 1 ? one : many) : text;
}

std::string coordinator::waiting_for() const {
  if (step_ == step::idle) return is_held() ? hurdle() : std::string();
  if (step_ == step::quiescing) return clock_->describe();
  std::string text;
  for (int l = 0; l < links_.number(); ++l) {
    const std::string who = clock::describe(links_.ranks(l));
    const bool one = links_.is_agent(l);
    if (step_ == step::parking && !progress_.has_parked(l, number_))
      text += said_by(links_.ranks(l), " has threads that did not reach a point where they can be saved\n",
                      ": not all threads have reached a point where they can be saved\n");
    if (step_ == step::draining && !progress_.has_drained(l, number_))
      text += said_by(links_.ranks(l), " still has messages in flight\n", " still have messages in flight\n");
    if ((step_ == step::writing || step_ == step::storing) && !progress_.has_written(l, number_))
      text += who + (local_ && on_nodes_ ? (one ? " has not copied its image yet\n" : ": not all have copied their images yet\n")
                         : one ? " has not written its image yet\n" : ": not all have written their images yet\n");
  }
  return text;
}

/// Asks the ranks how far the images are, once for all clients that watch. While no images exist, the answer comes at
/// once.
void coordinator::look_for_watchers() {
  if (std::none_of(clients_.begin(), clients_.end(), [](const client& c) { return c.watches; })) return;
  if (step_ != step::writing && step_ != step::storing) return tell_watchers();
  const bool under_way = std::exchange(looks_, true);
  if (!under_way) links_.send_all(frame_writer(frame_type::look).put(++look_).take());
  if (progress_.all_looked() == look_) tell_watchers();
}

void coordinator::tell_watchers() {
  looks_ = false;
  const bytes frame = frame_writer(frame_type::progress).put(progress_json()).take();
  for (client& c : clients_)
    if (std::exchange(c.watches, false) && c.line != nullptr) c.line->send(frame);
}

/// "phase", as in the status; "seconds" since the request; "waiting_for". While images are written or copied: "bytes"
/// of all images, "done", and of the slowest rank "slowest_rank", "slowest_bytes", "slowest_done".
std::string coordinator::progress_json() const {
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begun_;
  nlohmann::ordered_json document = {{"phase", step_names[static_cast<int>(step_)]}};
  if (step_ != step::idle || is_held()) {
    const std::chrono::duration<double> held = std::chrono::steady_clock::now() - held_since_;
    document["seconds"] = step_ == step::idle ? held.count() : since.count();
    document["waiting_for"] = waiting_for();
  }
  if (step_ == step::writing || step_ == step::storing) {
    const write_advance all = progress_.advance();
    document["bytes"] = all.bytes;
    document["done"] = all.done;
    if (all.slowest >= 0) {
      document["slowest_rank"] = all.slowest;
      document["slowest_bytes"] = all.slowest_bytes;
      document["slowest_done"] = all.slowest_done;
    }
  }
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string coordinator::status_json(const std::string& refusal) const {
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begun_;
  nlohmann::ordered_json document = {
      {"mana_status", 1}, {"program", around_.program}, {"ranks", around_.size}, {"host", where_.host},
      {"stage", around_.has_mpi ? stage_names[static_cast<int>(around_.where)] : without_mpi},
      {"phase", refusal.empty() ? step_names[static_cast<int>(step_)] : refusal.c_str()}, {"checkpoints", committed_},
      {"last_generation", last_generation_}, {"last_result", last_result_}, {"directory", around_.directory}};
  if (around_.local) document["last_generation_on_nodes"] = last_on_nodes_;
  nlohmann::ordered_json took = nlohmann::ordered_json::object();
  for (std::size_t s = 0; s < took_s_.size(); ++s)
    if (took_s_[s]) took[step_names[s]] = *took_s_[s];
  document["seconds_by_phase"] = took;
  if (step_ != step::idle) {
    document["phase_seconds"] = since.count();
    document["stops"] = stop_ || joined_stop_;
    document["waiting_for"] = waiting_for();
  }
  if (is_held()) document["waiting_for"] = waiting_for();
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace mana::control
