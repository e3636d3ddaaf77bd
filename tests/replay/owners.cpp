#include "owners.hpp"

#include "messages.hpp"

namespace clock_replay {

namespace {

ranges links_in(const trace_head& head) {
  const int process = -1 - head.rank;
  return mana::clock::links_of(mana::clock::place_of(process, head.ranks, head.fan_out).range, head.fan_out);
}

}  // namespace

link_owner::link_owner(const trace& t, std::vector<link*> links, totals& all)
    : part(t, all), links_(std::move(links)) {
  for (link* const l : links_) l->above = this;
}

link& link_owner::link_of(int number) const {
  if (number < 0 || static_cast<std::size_t>(number) >= links_.size())
    fail(rule::whole, "there is no link " + std::to_string(number));
  return *links_[static_cast<std::size_t>(number)];
}

/// Only `heard` needs anything of a link.
const link& link_owner::awaited() const { return link_of(frame_reader(next()).get<int>()); }

bool link_owner::take_message(const bytes& record) {
  if (type_of(record) != trace_record::heard) return true;
  frame_reader from(record);
  const int number = from.get<int>();
  if (from.rest().empty()) throw wire_error();
  return take(link_of(number).up, rest_of(from));
}

void link_owner::pass_on(const bytes& record) {
  if (type_of(record) != trace_record::sent_to) return;
  frame_reader from(record);
  link& to = link_of(from.get<int>());
  to.down.push_back(rest_of(from));
}

template <class Clock>
void link_owner::tell_heard(Clock& clock, const bytes& record) {
  frame_reader from(record);
  const int number = from.get<int>();
  const bytes frame = rest_of(from);
  told_unless_malformed([&] {
    frame_reader up(frame);
    if (up.type() == frame_type::answered) clock.answer(number, up);
    else clock.receive(number, up);
  });
}

// ---- the coordinator

coordinator_part::coordinator_part(const trace& t, std::vector<link*> links, const makers& make, totals& all)
    : link_owner(t, std::move(links), all),
      clock_(mana::control::recorded(
          sink(), [&](to_link send) { return make.coordinator(t.head.policy, links_in(t.head), std::move(send)); },
          [](int, const bytes&) {})) {}

void coordinator_part::check(const bytes& record) {
  frame_reader from(record);
  const auto type = type_of(record);
  if (type == trace_record::request) {
    ++number_;
    ++all_.requests;
  }
  if (type == trace_record::request || type == trace_record::end) under_way_ = type == trace_record::request;
  if (type != trace_record::sent_to) return;
  const int number = from.get<int>();
  if (type_of_message(from.rest()) != frame_type::line) return;
  if (!under_way_) fail(rule::once, "a line without a request");
  if (!declared.contains(number_)) ++all_.lines;
  if (!declared.try_emplace(number_, declaration{place(), {}}).first->second.told.insert(number).second)
    fail(rule::once, "the line of request " + std::to_string(number_) + ", again");
}

void coordinator_part::tell(const bytes& record) {
  switch (type_of(record)) {
    case trace_record::request: return clock_->request();
    case trace_record::end: return clock_->end();
    case trace_record::settle: return clock_->settle();
    case trace_record::heard: return tell_heard(*clock_, record);
    default: fail(rule::whole, "no record of a coordinator: " + describe(record));
  }
}

// ---- relays

relay_part::relay_part(const trace& t, std::vector<link*> links, link& up, const makers& make, totals& all)
    : link_owner(t, std::move(links), all),
      up_(up),
      clock_(mana::control::recorded(
          sink(),
          [&](to_link send, to_parent send_up) {
            return make.relay(t.head.policy, links_in(t.head), std::move(send), std::move(send_up));
          },
          [](int, const bytes&) {}, [](const bytes&) {})) {
  up_.below = this;
}

const link& relay_part::awaited() const {
  return type_of(next()) == trace_record::heard ? link_owner::awaited() : up_;
}

bool relay_part::take_message(const bytes& record) {
  const frame_reader from(record);
  switch (type_of(record)) {
    case trace_record::request: return take(up_.down, message(frame_type::requested, from.rest()));
    case trace_record::receive: return take(up_.down, message(frame_type::clock_down, from.rest()));
    case trace_record::line: return take(up_.down, message(frame_type::line));
    default: return link_owner::take_message(record);
  }
}

void relay_part::check(const bytes& record) {
  const auto type = type_of(record);
  if (type == trace_record::request || type == trace_record::end) {
    heard_line_ = false;
    told_line_.clear();
  }
  if (type == trace_record::line) heard_line_ = true;
  if (type != trace_record::sent_to) return;
  frame_reader from(record);
  const int number = from.get<int>();
  if (type_of_message(from.rest()) != frame_type::line) return;
  if (!heard_line_) fail(rule::once, "a line that was not heard");
  if (!told_line_.insert(number).second) fail(rule::once, "the line, again");
}

void relay_part::tell(const bytes& record) {
  const frame_reader from(record);
  const auto tell_as = [&](frame_type type, auto&& told) {
    const bytes frame = message(type, from.rest());
    told_unless_malformed([&] {
      frame_reader down(frame);
      told(down);
    });
  };
  switch (type_of(record)) {
    case trace_record::request: return tell_as(frame_type::requested, [&](frame_reader& f) { clock_->request(f); });
    case trace_record::receive: return tell_as(frame_type::clock_down, [&](frame_reader& f) { clock_->hear(f); });
    case trace_record::line: return clock_->line();
    case trace_record::end: return clock_->end();
    case trace_record::settle: return clock_->settle();
    case trace_record::heard: return tell_heard(*clock_, record);
    default: fail(rule::whole, "no record of a relay: " + describe(record));
  }
}

void relay_part::pass_on(const bytes& record) {
  if (type_of(record) == trace_record::sent) up_.up.push_back(rest_of(frame_reader(record)));
  else link_owner::pass_on(record);
}

}  // namespace clock_replay
