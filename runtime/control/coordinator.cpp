#include "coordinator.hpp"

#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace mana::control {

namespace {

std::chrono::steady_clock::duration seconds(double s) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(s));
}

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

}  // namespace

coordinator::coordinator(const surroundings& s, listener l, endpoint where)
    : around_(s), listener_(std::move(l)), where_(std::move(where)), clock_(*this, s.size),
      agents_(static_cast<std::size_t>(s.size)) {
  if (s.interval_s > 0) next_interval_ = std::chrono::steady_clock::now() + seconds(s.interval_s);
}

void coordinator::run() {
  while (!ended_) poll_once();
}

void coordinator::send(int rank, const clock::downward& message) {
  if (const auto& line = agents_[static_cast<std::size_t>(rank)].line) line->send(encode(message));
}

int coordinator::next_timeout() const {
  time first = time::max();
  if (step_ == step::quiescing || step_ == step::parking) first = deadline_;
  if (around_.interval_s > 0 && step_ == step::idle) first = std::min(first, next_interval_);
  if (first == time::max()) return -1;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(first - std::chrono::steady_clock::now()).count() + 1;
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

void coordinator::poll_once() {
  std::vector<pollfd> waits{{listener_.socket.get(), POLLIN, 0}};
  const auto add = [&](const connection& c) {
    waits.push_back({c.fd(), static_cast<short>(POLLIN | (c.has_output() ? POLLOUT : 0)), 0}); };
  std::vector<int> ranks;
  for (int r = 0; r < around_.size; ++r)
    if (const auto& line = agents_[static_cast<std::size_t>(r)].line) {
      add(*line);
      ranks.push_back(r);
    }
  std::vector<client*> clients;
  for (client& c : clients_) {
    add(*c.line);
    clients.push_back(&c);
  }
  if (poll(waits.data(), waits.size(), next_timeout()) < 0) return;

  std::size_t at = 1;
  for (const int r : ranks) {
    const auto& line = agents_[static_cast<std::size_t>(r)].line;
    if (const short seen = waits[at++].revents; seen != 0) {
      if ((seen & POLLOUT) != 0) line->flush();
      if ((seen & ~POLLOUT) != 0) read_agent(r);
    }
  }
  for (client* const c : clients) {
    if (const short seen = waits[at++].revents; seen != 0) {
      if ((seen & POLLOUT) != 0) c->line->flush();
      if ((seen & ~POLLOUT) != 0) read_stranger(*c);
    }
  }
  clients_.remove_if([](const client& c) { return c.line == nullptr || c.line->broken(); });
  if (waits[0].revents != 0) accept_one();
  on_time();
  begin_if_asked();
  end_if_all_ending();
}

void coordinator::accept_one() {
  handle fd(accept4(listener_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (fd) clients_.push_back({std::make_unique<connection>(std::move(fd)), false, false, false, false});
}

void coordinator::on_time() {
  const time now = std::chrono::steady_clock::now();
  if ((step_ == step::quiescing || step_ == step::parking) && now >= deadline_) {
    const std::string limit = decimal(around_.limit_s > 0 ? around_.limit_s : default_limit_s);
    give_up("the job did not come to a point where it can be saved within " + limit + " s:\n" +
            (step_ == step::quiescing ? clock_.describe() : not_parked()));
  }
  if (around_.interval_s > 0 && step_ == step::idle && now >= next_interval_) {
    interval_due_ = true;
    next_interval_ = now + seconds(around_.interval_s);
  }
}

void coordinator::read_agent(int rank) {
  agent& a = agents_[static_cast<std::size_t>(rank)];
  const bool alive = a.line->receive();
  try {
    while (a.line != nullptr) {
      const auto frame = a.line->next();
      if (!frame) break;
      frame_reader reader(*frame);
      on_agent(rank, reader);
    }
  } catch (const wire_error&) {
    a.line.reset();
  }
  if (alive && a.line != nullptr) return;
  a.line.reset();
  if (step_ != step::idle) give_up("rank " + std::to_string(rank) + " has ended, or its node cannot be reached");
  if (std::none_of(agents_.begin(), agents_.end(), [](const agent& x) { return x.line != nullptr; })) ended_ = true;
}

void coordinator::on_agent(int rank, frame_reader& frame) {
  agent& a = agents_[static_cast<std::size_t>(rank)];
  switch (frame.type()) {
    case frame_type::clock_up:
      clock_.receive(rank, decode_upward(frame));
      after_clock();
      break;
    case frame_type::parked:
      a.parked = true;
      if (step_ == step::parking && all_agents(&agent::parked)) proceed();
      break;
    case frame_type::written:
      a.written = {rank, frame.get<std::uint64_t>(), frame.get<std::uint64_t>(), frame.get<std::uint64_t>(), frame.texts(),
                   frame.get<double>()};
      a.answered = true;
      if (step_ == step::writing && all_agents(&agent::answered)) conclude();
      break;
    case frame_type::not_written:
      a.failure = frame.text();
      a.answered = true;
      if (step_ == step::writing && all_agents(&agent::answered)) conclude();
      break;
    case frame_type::ending: a.ending = true; break;
    default: throw wire_error();
  }
}

void coordinator::read_stranger(client& c) {
  const bool alive = c.line->receive();
  try {
    while (c.line != nullptr) {
      const auto frame = c.line->next();
      if (!frame) break;
      frame_reader reader(*frame);
      if (!c.known) {
        if (greet(c, reader)) return;   // an agent: it has its own place now
      } else {
        on_client(c, reader);
      }
    }
  } catch (const wire_error&) {
    c.line.reset();
  }
  if (!alive) c.line.reset();
}

/// out: true for an agent, whose connection was moved to its place. Whoever does not know the key is cut off.
bool coordinator::greet(client& c, frame_reader& frame) {
  const auto type = frame.type();
  if (frame.get<std::array<std::uint8_t, key_bytes>>() != where_.key) throw wire_error();
  if (type == frame_type::hello_client) {
    c.known = true;
    return false;
  }
  const int rank = frame.get<int>();
  if (type != frame_type::hello_rank || rank < 0 || rank >= around_.size) throw wire_error();
  agents_[static_cast<std::size_t>(rank)].line = std::move(c.line);
  read_agent(rank);
  return true;
}

void coordinator::on_client(client& c, frame_reader& frame) {
  switch (frame.type()) {
    case frame_type::ask_checkpoint:
      c.waits = true;
      c.stop = frame.get<std::uint8_t>() != 0;
      break;
    case frame_type::ask_status: c.line->send(frame_writer(frame_type::status).put(status_json()).take()); break;
    default: throw wire_error();
  }
}

/// A request that comes while a checkpoint is under way is served by one more after it: what it wants saved may have
/// happened after the recovery line.
void coordinator::begin_if_asked() {
  if (step_ != step::idle || ended_) return;
  const bool wanted = interval_due_ || std::any_of(clients_.begin(), clients_.end(), [](const client& c) { return c.waits; });
  const bool all_here = std::all_of(agents_.begin(), agents_.end(), [](const agent& a) { return a.line != nullptr; });
  if (!wanted || !all_here) return;
  interval_due_ = stop_ = false;
  for (client& c : clients_) {
    c.served = c.waits;          // served by this checkpoint
    stop_ = stop_ || (c.waits && c.stop);
  }
  for (agent& a : agents_) {
    a.parked = a.answered = false;
    a.failure.clear();
  }
  begun_ = std::chrono::steady_clock::now();
  deadline_ = begun_ + seconds(around_.limit_s > 0 ? around_.limit_s : default_limit_s);
  step_ = step::quiescing;
  clock_.request();
}

void coordinator::after_clock() {
  if (step_ == step::quiescing && clock_.done()) step_ = step::parking;
  if (step_ == step::parking && all_agents(&agent::parked)) proceed();
}

/// All threads of all ranks are parked: now they drain and write. There is no time limit any more: nothing waits for
/// the program, only for disks.
void coordinator::proceed() {
  try {
    generation_ = around_.begin_generation();
  } catch (const std::exception& error) {
    return give_up(error.what());
  }
  step_ = step::writing;
  tell_agents(frame_writer(frame_type::proceed).put(generation_.generation_path).take());
}

void coordinator::conclude() {
  std::string failures;
  for (std::size_t r = 0; r < agents_.size(); ++r)
    if (!agents_[r].failure.empty()) failures += "rank " + std::to_string(r) + ": " + agents_[r].failure + "\n";
  std::vector<rank_written> images;
  for (const agent& a : agents_) images.push_back(a.written);
  if (failures.empty()) {
    try {
      around_.commit(generation_, images);
    } catch (const std::exception& error) {
      failures = std::string(error.what()) + "\n";
    }
  }
  if (!failures.empty()) {
    around_.abandon(generation_);
    return close_checkpoint(false, failures);
  }
  ++committed_;
  last_generation_ = generation_.generation;
  std::uint64_t bytes = 0;
  std::string warnings;
  for (const rank_written& w : images) {
    bytes += w.file_bytes;
    for (const std::string& text : w.warnings) warnings += "\nwarning: rank " + std::to_string(w.rank) + ": " + text;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun_;
  close_checkpoint(true, generation_.generation_path + ": " + std::to_string(around_.size) + " ranks, " +
                             decimal(static_cast<double>(bytes) / 1e6) + " MB, " + decimal(took.count()) + " s" + warnings);
}

void coordinator::give_up(const std::string& why) {
  if (step_ == step::writing) around_.abandon(generation_);
  clock_.give_up();
  close_checkpoint(false, why);
}

/// The ranks learn the outcome, then those who asked.
void coordinator::close_checkpoint(bool committed, const std::string& text) {
  clock_.reset();
  step_ = step::idle;
  last_result_ = text;
  if (!committed) stop_ = false;
  tell_agents(frame_writer(frame_type::verdict).put(static_cast<std::uint8_t>(committed)).put(static_cast<std::uint8_t>(stop_)).take());
  bool heard = false;
  for (client& c : clients_) {
    if (!c.served) continue;
    answer(c, committed, text);
    heard = true;
  }
  if (!committed && !heard) std::fprintf(stderr, "mana: warning: no checkpoint: %s\n", text.c_str());
  if (around_.interval_s > 0) next_interval_ = std::chrono::steady_clock::now() + seconds(around_.interval_s);
  if (stop_) end("the job was stopped by a checkpoint: restart it with mana restart");
}

/// The last words to everyone.
void coordinator::end(const std::string& to_clients) {
  for (client& c : clients_)
    if (c.waits) answer(c, false, to_clients);
  for (agent& a : agents_)
    if (a.line != nullptr) a.line->send_all({});
  ended_ = true;
}

/// All ranks wait in MPI_Finalize. Requests that came before this are served first.
void coordinator::end_if_all_ending() {
  if (step_ != step::idle || ended_ || !all_agents(&agent::ending)) return;
  tell_agents(frame_writer(frame_type::end).take());
  end("the program is ending: there is nothing left to save");
}

bool coordinator::all_agents(bool agent::* flag) const {
  return std::all_of(agents_.begin(), agents_.end(), [flag](const agent& a) { return a.*flag; });
}

void coordinator::tell_agents(const bytes& frame) {
  for (agent& a : agents_)
    if (a.line != nullptr) a.line->send(frame);
}

void coordinator::answer(client& c, bool ok, const std::string& text) {
  c.waits = c.served = false;
  if (c.line != nullptr) c.line->send_all(frame_writer(frame_type::answer).put(static_cast<std::uint8_t>(ok)).put(text).take());
}

std::string coordinator::not_parked() const {
  std::string text;
  for (std::size_t r = 0; r < agents_.size(); ++r)
    if (!agents_[r].parked) text += "rank " + std::to_string(r) + " has threads that did not reach a point where they can be saved\n";
  return text;
}

std::string coordinator::status_json() const {
  static constexpr const char* names[] = {"running", "quiescing", "parking", "writing"};
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begun_;
  nlohmann::ordered_json document = {
      {"mana_status", 1}, {"program", around_.program}, {"ranks", around_.size}, {"host", where_.host},
      {"phase", names[static_cast<int>(step_)]}, {"checkpoints", committed_}, {"last_generation", last_generation_},
      {"last_result", last_result_}, {"directory", around_.directory}};
  if (step_ != step::idle) document["phase_seconds"] = since.count();
  if (step_ == step::quiescing) document["waiting_for"] = clock_.describe();
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace mana::control
