#include <runtime/control/coordinator.hpp>

#include <runtime/control/clock_trace.hpp>

#include <algorithm>

namespace mana::control {

std::chrono::steady_clock::duration coordinator::seconds(double s) {
  return std::chrono::duration_cast<time::duration>(std::chrono::duration<double>(s));
}

coordinator::coordinator(const surroundings& s, listener l, endpoint where, handle orders)
    : around_(s), where_(std::move(where)), combines_(combines(s.clock)), orders_(std::move(orders)),
      links_(std::move(l), where_.key, clock::links_of({0, s.size}, s.fan_out), *this),
      progress_(clock::links_of({0, s.size}, s.fan_out)),
      clock_(make_coordinator_clock_in({s.clock_trace, where_.key, s.size, s.fan_out, s.clock},
                                       [this](int to, const bytes& frame) { send(to, frame); })) {
  const time now = std::chrono::steady_clock::now();
  if (s.interval_s > 0) next_interval_ = now + seconds(s.interval_s);
  if (s.stop_after_s > 0) stop_at_ = now + seconds(s.stop_after_s);
  gone_.resize(static_cast<std::size_t>(links_.number()));
  in_init_.resize(gone_.size());
  if (!s.memory) return;
  const coordinator_memory& before = *s.memory;
  asked_ = asked_unheard_ = before.asked;
  asked_stop_ = before.stop;
  asked_copy_ = before.copy;
  stop_at_ = before.stop_at;
  next_interval_ = before.next_interval.value_or(next_interval_);
  committed_ = before.committed;
  last_generation_ = before.last_generation;
  last_on_nodes_ = before.last_on_nodes;
  uncopied_ = before.uncopied;
  last_result_ = before.last_result;
}

coordinator_memory coordinator::memory() const {
  return {asked_ && asked_unheard_, asked_stop_, asked_copy_, stop_at_, next_interval_, committed_, last_generation_, last_on_nodes_,
          uncopied_, last_result_};
}

void coordinator::run() {
  while (!ended_) poll_once();
}

void coordinator::send(int to, const bytes& frame) {
  if (combines_) links_.send(to, frame);
  else links_.send_to_rank(to, frame);
}

int coordinator::next_timeout() const {
  time first = time::max();
  if (has_deadline()) first = deadline_;
  if (around_.interval_s > 0 && step_ == step::idle) first = std::min(first, next_interval_);
  if (stop_at_) first = std::min(first, *stop_at_);
  if (held_until_) first = std::min(first, *held_until_);
  if (first == time::max()) return -1;
  using std::chrono::milliseconds;
  const auto left = std::chrono::duration_cast<milliseconds>(first - std::chrono::steady_clock::now()).count() + 1;
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

/// Delivers all frames that have come before it sends: many links that report at the same time get one answer.
void coordinator::poll_once() {
  std::vector<connection*> lines{&orders_};
  for (const client& c : clients_) lines.push_back(c.line.get());
  const std::vector<connection*> ready = links_.poll_once(next_timeout(), lines);
  for (client& c : clients_)
    if (std::find(ready.begin(), ready.end(), c.line.get()) != ready.end()) read_client(c);
  if (std::find(ready.begin(), ready.end(), &orders_) != ready.end()) read_orders();
  const auto has_left = [](const client& c) { return c.line == nullptr || c.line->broken(); };
  if (clients_.remove_if(has_left) != 0) links_.has_room();
  clock_->settle();
  let_stand();
  go_on();
  on_time();
  begin_if_asked();
  end_if_all_ending();
  look_for_watchers();
  links_.flush();
}

void coordinator::on_time() {
  const time now = std::chrono::steady_clock::now();
  if (has_deadline() && now >= deadline_) give_up(too_late());
  if (held_until_ && now >= *held_until_) refuse_held();
  if (around_.interval_s > 0 && step_ == step::idle && now >= next_interval_) {
    const bool is_over = !lost_.empty() && of_lost_rank() == ending::not_needed;
    if (!is_over) asked_ = asked_unheard_ = true;
    next_interval_ = now + seconds(around_.interval_s);
  }
  if (stop_at_ && now >= *stop_at_) {
    stop_at_.reset();
    on_request(true);
  }
}

void coordinator::on_frame(int link, frame_reader& frame) {
  switch (frame.type()) {
    case frame_type::answered:
    case frame_type::clock_up:
      if (!combines_ && !links_.is_agent(link)) throw wire_error();
      on_clock(combines_ ? link : links_.ranks(link).first, frame);
      break;
    case frame_type::of_rank: {
      const int rank = frame.get<int>();
      if (combines_ || !links_.ranks(link).has(rank)) throw wire_error();
      frame_reader said(frame.rest());
      on_clock(rank, said);
      break;
    }
    case frame_type::parked:
    case frame_type::drained:
    case frame_type::copied:
    case frame_type::on_node:
    case frame_type::written:
    case frame_type::advanced:
    case frame_type::ending: progress_.hear(link, frame); break;
    case frame_type::request: on_request(frame.get<std::uint8_t>() != 0); break;
    case frame_type::waits: on_waits(frame); break;
    case frame_type::undrained: on_undrained(frame); break;
    case frame_type::retracted: on_retracted(frame.get<clock::request_number>()); break;
    case frame_type::told_to_end: on_told_to_end(frame.get<std::string>()); break;
    case frame_type::hand_over: break;        // of a process that has no relay
    case frame_type::lost: lose(frame.get<clock::rank_range>()); break;
    case frame_type::in_init:
    case frame_type::word: on_place(link, frame); break;
    default: throw wire_error();
  }
}

/// from: a link, or a rank if the policy does not combine
void coordinator::on_clock(int from, frame_reader& frame) {
  if (frame.type() == frame_type::answered) clock_->answer(from, frame);
  else if (frame.type() == frame_type::clock_up) clock_->receive(from, frame);
  else throw wire_error();
}

/// The request asks for the state after this moment. A checkpoint under way contains it: until the verdict no rank runs
/// past the recovery line. Once the program runs while its memory is stored, it may have passed the line. Nobody waits
/// for the answer.
void coordinator::on_request(bool stop) {
  const bool under_way = step_ != step::idle && step_ != step::storing;
  (under_way ? joined_ : asked_) = true;
  if (!under_way) asked_copy_ = asked_unheard_ = true;
  bool& then_stop = under_way ? joined_stop_ : asked_stop_;
  then_stop = then_stop || stop;
}

/// A client of another version gets the coordinator's version, and no service. The client closes the connection.
void coordinator::on_client(std::unique_ptr<connection> line, const client_hello& who) {
  clients_.push_back({std::move(line)});
  client& c = clients_.back();
  c.protocol = who.protocol;
  const build_name build = own_build();
  if (who.protocol != protocol_version && who.protocol != unsaid_protocol)
    c.line->send(
        frame_writer(frame_type::other_protocol).put(protocol_version).put(build.version).put(build.command).take());
  read_client(c);
}

void coordinator::read_client(client& c) {
  bool alive = c.line->receive();
  try {
    while (const auto frame = c.line->next()) {
      frame_reader reader(*frame);
      if (c.protocol == protocol_version) on_client_frame(c, reader);
      else if (c.protocol == unsaid_protocol) refuse_foreign(c, reader);
    }
  } catch (const wire_error&) {
    alive = false;
  }
  if (!alive) c.line.reset();
}

/// A client of version 1 named no version. It gets a frame of that version, and shows the text.
void coordinator::refuse_foreign(client& c, frame_reader& frame) {
  const build_name build = own_build();
  const std::string why = "the job speaks " + name_of(protocol_version, build.version) +
                          ", and this command an earlier one; use the mana that started the job" +
                          (build.command.empty() ? "" : ", " + build.command);
  if (frame.type() == frame_type::ask_checkpoint) answer(c, false, why);
  if (frame.type() != frame_type::ask_status) return;
  c.line->send(frame_writer(frame_type::status).put(status_json(why)).take());
}

void coordinator::on_client_frame(client& c, frame_reader& frame) {
  switch (frame.type()) {
    case frame_type::ask_checkpoint:
      c.waits = asked_ = asked_copy_ = true;
      asked_stop_ = frame.get<std::uint8_t>() != 0 || asked_stop_;
      c.what = frame.get<wait_for>();
      break;
    case frame_type::ask_progress: c.watches = true; break;
    case frame_type::ask_status: c.line->send(frame_writer(frame_type::status).put(status_json()).take()); break;
    default: throw wire_error();
  }
}

}  // namespace mana::control
