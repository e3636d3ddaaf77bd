#include <runtime/control/relay.hpp>

#include <poll.h>

#include <system_error>

namespace mana::control {

relay::relay(const traced_job& job, const clock::rank_range& range, listener l, caller call_up)
    : call_up_(std::move(call_up)), hello_(frame_writer(frame_type::hello_rank).put(job.key).put(range.first).take()),
      links_(std::move(l), job.key, clock::links_of(range, job.fan_out), *this),
      progress_(clock::links_of(range, job.fan_out)),
      clock_(make_relay_clock_in(job, range, [this](int link, const bytes& frame) { links_.send(link, frame); },
                                 [this](const bytes& frame) { tell(frame); })) {
  join();
}

void relay::join() {
  up_ = call_up_();
  up_->queue(hello_);
  up_->queue(unheard_.told());
}

void relay::run() {
  while (!ended_ && !orphaned_) poll_once();
  constexpr int limit_ms = 10'000;
  if (ended_) links_.flush_all(limit_ms);
  else links_.close();
}

void relay::poll_once() {
  if (!links_.poll_once(-1, {up_.get()}).empty()) read_up();
  if (clock_ != nullptr) clock_->settle();
  tell_what_all_said();
  links_.flush();
  up_->flush();
}

// ---- from above

void relay::read_up() {
  bool alive = up_->receive();
  try {
    while (const auto frame = up_->next()) {
      frame_reader reader(*frame);
      on_order(reader);
    }
  } catch (const wire_error&) {
    alive = false;
  }
  orphaned_ = !alive && !join_again();
}

bool relay::join_again() {
  if (!unheard_.try_again()) return false;
  poll(nullptr, 0, unheard::pause_ms);
  try {
    join();
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void relay::on_order(frame_reader& frame) {
  switch (frame.type()) {
    case frame_type::welcome: unheard_.on_welcome(); break;
    case frame_type::requested:
      if (clock_ == nullptr) throw wire_error();
      clock_->request(frame);
      break;
    case frame_type::clock_down:
      if (clock_ == nullptr) throw wire_error();
      clock_->hear(frame);
      break;
    case frame_type::line:
      if (clock_ == nullptr) throw wire_error();
      clock_->line();
      break;
    case frame_type::to_rank: {
      const int rank = frame.get<int>();
      links_.send_to_rank(rank, whole(frame_reader(frame.rest())));
      break;
    }
    case frame_type::proceed:
    case frame_type::abandon:
    case frame_type::look:
    case frame_type::stored: links_.send_all(whole(frame)); break;
    case frame_type::verdict: {
      if (clock_ != nullptr) clock_->end();
      links_.send_all(whole(frame));
      const bool committed = frame.get<std::uint8_t>() != 0, stop = frame.get<std::uint8_t>() != 0;
      ended_ = ended_ || (committed && stop);
      break;
    }
    case frame_type::end:
      links_.send_all(whole(frame));
      ended_ = true;
      break;
    default: throw wire_error();
  }
}

// ---- from below

void relay::on_frame(int link, frame_reader& frame) {
  switch (frame.type()) {
    case frame_type::answered:
    case frame_type::clock_up:
      if (clock_ == nullptr && links_.is_agent(link))
        tell(marked(frame_type::of_rank, links_.ranks(link).first, whole(frame)));
      else if (clock_ == nullptr) throw wire_error();
      else if (frame.type() == frame_type::answered) clock_->answer(link, frame);
      else clock_->receive(link, frame);
      break;
    case frame_type::parked:
    case frame_type::drained:
    case frame_type::copied:
    case frame_type::on_node:
    case frame_type::written:
    case frame_type::advanced:
    case frame_type::ending: progress_.hear(link, frame); break;
    case frame_type::of_rank: {
      frame_reader said = frame;
      if (clock_ != nullptr || !links_.ranks(link).has(said.get<int>())) throw wire_error();
      tell(whole(frame));
      break;
    }
    case frame_type::hand_over: orphaned_ = orphaned_ || link == 0; break;        // its process ends
    case frame_type::request:
    case frame_type::told_to_end:
    case frame_type::word:
    case frame_type::retracted:
    case frame_type::waits:
    case frame_type::undrained:
    case frame_type::lost: tell(whole(frame)); break;
    default: throw wire_error();
  }
}

void relay::on_lost(int link) {
  tell(frame_writer(frame_type::lost).put(links_.ranks(link)).take());
}

/// Only the coordinator has clients.
void relay::on_client(std::unique_ptr<connection>, const client_hello&) { throw wire_error(); }

void relay::tell_what_all_said() {
  if (links_.all_here() && !std::exchange(said_here_, true)) tell(frame_writer(frame_type::here).take());
  if (progress_.all_ending() && !std::exchange(said_ending_, true)) tell(frame_writer(frame_type::ending).take());
  if (const auto request = progress_.all_parked(); request > said_parked_) {
    said_parked_ = request;
    tell(frame_writer(frame_type::parked).put(request).take());
  }
  if (const auto request = progress_.all_drained(); request > said_drained_) {
    said_drained_ = request;
    tell(frame_writer(frame_type::drained).put(request).take());
  }
  if (const auto request = progress_.all_copied(); request > said_copied_) {
    said_copied_ = request;
    tell(frame_writer(frame_type::copied).put(request).take());
  }
  if (const auto request = progress_.all_on_node(); request > said_on_node_) {
    said_on_node_ = request;
    tell(frame_writer(frame_type::on_node).put(request).take());
  }
  if (const auto look = progress_.all_looked(); look > said_looked_) {
    said_looked_ = look;
    tell(frame_writer(frame_type::advanced).put(look).put(progress_.advance()).take());
  }
  if (const auto request = progress_.all_written(); request > said_written_) {
    said_written_ = request;
    tell(frame_writer(frame_type::written).put(request).put(progress_.take_results()).take());
  }
}

}  // namespace mana::control
