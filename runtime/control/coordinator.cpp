#include "coordinator.hpp"

#include "clock_trace.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>

namespace mana::control {

std::chrono::steady_clock::duration coordinator::seconds(double s) {
  return std::chrono::duration_cast<time::duration>(std::chrono::duration<double>(s));
}

coordinator::coordinator(const surroundings& s, listener l, endpoint where)
    : around_(s), listener_(std::move(l)), where_(std::move(where)),
      clock_(make_coordinator_clock_in(s.clock_trace, where_, s.size, s.clock,
                                       [this](int rank, const bytes& frame) { send(rank, frame); })),
      agents_(static_cast<std::size_t>(s.size)) {
  const time now = std::chrono::steady_clock::now();
  if (s.interval_s > 0) next_interval_ = now + seconds(s.interval_s);
  if (s.stop_after_s > 0) stop_at_ = now + seconds(s.stop_after_s);
}

void coordinator::run() {
  while (!ended_) poll_once();
}

void coordinator::send(int rank, const bytes& frame) {
  if (const auto& line = agents_[static_cast<std::size_t>(rank)].line) line->send(frame);
}

int coordinator::next_timeout() const {
  time first = time::max();
  if (step_ == step::quiescing || step_ == step::parking) first = deadline_;
  if (around_.interval_s > 0 && step_ == step::idle) first = std::min(first, next_interval_);
  if (stop_at_) first = std::min(first, *stop_at_);
  if (first == time::max()) return -1;
  using std::chrono::milliseconds;
  const auto left = std::chrono::duration_cast<milliseconds>(first - std::chrono::steady_clock::now()).count() + 1;
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

void coordinator::poll_once() {
  std::vector<pollfd> waits;
  const auto add = [&](const connection& c) {
    waits.push_back({c.fd(), static_cast<short>(POLLIN | (c.has_output() ? POLLOUT : 0)), 0});
  };
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
  waits.push_back({listener_.socket.get(), static_cast<short>(accepting_ ? POLLIN : 0), 0});
  if (poll(waits.data(), waits.size(), next_timeout()) < 0) return;

  std::size_t at = 0;
  for (const int r : ranks) {
    const short seen = waits[at++].revents;
    if ((seen & POLLOUT) != 0) agents_[static_cast<std::size_t>(r)].line->flush();
    if ((seen & ~POLLOUT) != 0) read_agent(r);
  }
  for (client* const c : clients) {
    const short seen = waits[at++].revents;
    if ((seen & POLLOUT) != 0) c->line->flush();
    if ((seen & ~POLLOUT) != 0) read_client(*c);
  }
  if (clients_.remove_if([](const client& c) { return c.line == nullptr || c.line->broken(); }) != 0) accepting_ = true;
  if (waits[at].revents != 0) accept_one();
  clock_->settle();
  if (step_ == step::quiescing && clock_->done()) enter(step::parking);
  on_time();
  begin_if_asked();
  end_if_all_ending();
}

/// Whoever connects and does not show the key costs a descriptor: where there are too many of those, the one that has
/// been silent for longest goes.
void coordinator::accept_one() {
  constexpr std::ptrdiff_t spare = 64;
  handle fd = accept_from(listener_);
  const bool full = !fd && (errno == EMFILE || errno == ENFILE);
  if (fd) clients_.push_back({std::make_unique<connection>(std::move(fd))});
  const auto unknown = [](const client& c) { return !c.known; };
  if (!full && std::count_if(clients_.begin(), clients_.end(), unknown) <= around_.size + spare) return;
  const auto oldest = std::find_if(clients_.begin(), clients_.end(), unknown);
  if (oldest != clients_.end()) clients_.erase(oldest);
  else accepting_ = false;      // until somebody leaves
}

void coordinator::on_time() {
  const time now = std::chrono::steady_clock::now();
  if ((step_ == step::quiescing || step_ == step::parking) && now >= deadline_) give_up(too_late());
  if (around_.interval_s > 0 && step_ == step::idle && now >= next_interval_) {
    asked_ = true;
    next_interval_ = now + seconds(around_.interval_s);
  }
  if (stop_at_ && now >= *stop_at_) {
    stop_at_.reset();
    on_request(true);
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
  lost_ = "rank " + std::to_string(rank) + " has ended, or its node cannot be reached";
  if (step_ != step::idle) give_up(lost_);
  if (std::none_of(agents_.begin(), agents_.end(), [](const agent& x) { return x.line != nullptr; })) ended_ = true;
}

void coordinator::on_agent(int rank, frame_reader& frame) {
  agent& a = agents_[static_cast<std::size_t>(rank)];
  switch (frame.type()) {
    case frame_type::answered:      // what it has said before is of a checkpoint that was given up
      if (clock_->answer(rank, frame)) a.forget_checkpoint();
      break;
    case frame_type::clock_up: clock_->receive(rank, frame); break;
    case frame_type::parked:
      a.parked = true;
      if (step_ == step::parking && all_agents(&agent::parked)) proceed();
      break;
    case frame_type::written:
      a.written = {rank,          frame.get<std::uint64_t>(), frame.get<std::uint64_t>(), frame.get<std::uint64_t>(),
                   frame.get<std::vector<std::string>>(), frame.get<double>()};
      a.answered = true;
      if (step_ == step::writing && all_agents(&agent::answered)) conclude();
      break;
    case frame_type::not_written:
      a.failure = frame.get<std::string>();
      a.answered = true;
      if (step_ == step::writing && all_agents(&agent::answered)) conclude();
      break;
    case frame_type::ending: a.ending = true; break;
    case frame_type::request: on_request(frame.get<std::uint8_t>() != 0); break;
    default: throw wire_error();
  }
}

/// Nobody waits for the answer, and what is asked for, the state after this moment, the checkpoint under way will have if
/// there is one: until its verdict no rank has gone further than the recovery line.
void coordinator::on_request(bool stop) {
  const bool under_way = step_ != step::idle;
  (under_way ? joined_ : asked_) = true;
  bool& then_stop = under_way ? joined_stop_ : asked_stop_;
  then_stop = then_stop || stop;
}

void coordinator::read_client(client& c) {
  const bool alive = c.line->receive();
  try {
    while (c.line != nullptr) {
      const auto frame = c.line->next(c.known ? max_frame : max_hello);
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
  agent& a = agents_[static_cast<std::size_t>(rank)];
  if (a.line != nullptr) throw wire_error();
  a.line = std::move(c.line);
  read_agent(rank);
  return true;
}

void coordinator::on_client(client& c, frame_reader& frame) {
  switch (frame.type()) {
    case frame_type::ask_checkpoint:
      c.waits = asked_ = true;
      asked_stop_ = frame.get<std::uint8_t>() != 0 || asked_stop_;
      break;
    case frame_type::ask_status: c.line->send(frame_writer(frame_type::status).put(status_json()).take()); break;
    default: throw wire_error();
  }
}

}  // namespace mana::control
