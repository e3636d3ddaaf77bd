#include "messages.hpp"
#include "part.hpp"

#include <algorithm>

namespace clock_replay {

using mana::clock::group_count;
using mana::clock::verdict;
using mana::control::frame_reader;
using mana::control::frame_type;
using mana::control::wire_error;

namespace {

std::string text_of(group_name name) { return std::to_string(name.ggid) + "/" + std::to_string(name.check); }

}  // namespace

void part::fail(rule broken, const std::string& text) const { throw violation{trace_.file, place(), broken, text}; }

bool part::step() {
  if (at_end()) return false;
  const bytes& record = trace_.records[next_];
  try {
    if (!take_message(record)) return false;
    step_on(record);
  } catch (const wire_error&) { fail(rule::whole, "it is malformed: " + describe(record)); }
  ++next_;
  return true;
}

void part::step_on(const bytes& record) {
  const auto type = type_of(record);
  const bool said = type == trace_record::sent || type == trace_record::verdict || type == trace_record::sent_to ||
                    type == trace_record::current;
  if (closed_) fail(rule::whole, "it comes after the end: " + describe(record));
  check(record);
  if (!said) {
    if (!again_.empty())
      fail(rule::reproduced, "before " + describe(record) + ", the policy says " + describe(again_.front()));
    if (type == trace_record::closed) end_clock();
    else tell(record);
  }
  closed_ = type == trace_record::closed;
  if (again_.empty() || again_.front() != record)
    fail(rule::reproduced, describe(record) + ", but the policy says " +
                               (again_.empty() ? std::string("nothing") : describe(again_.front())));
  again_.pop_front();
  pass_on(record);
}

bool part::take(std::deque<bytes>& from, const bytes& frame) {
  if (from.empty()) return false;
  if (from.front() != frame)
    fail(rule::in_order, "what arrives is not what was sent next; its type is " + std::to_string(frame.at(0)) +
                             ", that one's " + std::to_string(from.front().at(0)));
  from.pop_front();
  ++all_.messages;
  return true;
}

// ---- ranks

rank_part::rank_part(const trace& t, link& up, const makers& make, totals& all)
    : part(t, all),
      link_(up),
      clock_(mana::control::recorded(
          sink(), [&](to_parent send) { return make.rank(t.head.policy, t.head.rank, std::move(send)); },
          [](const bytes&) {})) {
  link_.below = this;
}

/// A request that came while a checkpoint held the rank, and was given up before the rank was released, is not begun.
bool rank_part::take_message(const bytes& record) {
  frame_reader from(record);
  switch (type_of(record)) {
    case trace_record::begin: {
      const bytes wanted = request_message(from.get<request_number>());
      while (!link_.down.empty() && link_.down.front() != wanted &&
             type_of_message(link_.down.front()) == frame_type::requested)
        link_.down.pop_front();
      return take(link_.down, wanted);
    }
    case trace_record::receive: return take(link_.down, message(frame_type::clock_down, from.rest()));
    case trace_record::line: return take(link_.down, message(frame_type::line));
    default: return true;
  }
}

void rank_part::check(const bytes& record) {
  frame_reader from(record);
  switch (type_of(record)) {
    case trace_record::begin: {
      const auto number = from.get<request_number>();
      begin(number, from.get<std::vector<group_count>>());
      break;
    }
    case trace_record::line:
      if (number_ != 0) past[number_].heard_line = true;
      break;
    case trace_record::end: number_ = 0; break;
    case trace_record::start: check_start(from.get<group_count>()); break;
    case trace_record::verdict: check_verdict(static_cast<verdict>(from.get<std::uint8_t>())); break;
    default: break;
  }
}

void rank_part::begin(request_number number, const std::vector<group_count>& counted) {
  number_ = number;
  quiesce& q = past[number];
  if (clock_->always_asks()) {
    q.now = went_;
    return;
  }
  for (const group_count& c : counted) {
    q.snapshot[c.name] = q.now[c.name] = c.count;
    q.members[c.name] = c.members;
  }
}

/// Starts on a clock follow one another: one that was held has left no trace in the count. The last one may come again,
/// where the MPI refused to start it.
void rank_part::check_start(const group_count& asked) {
  asked_ = asked;
  if (number_ == 0) return;
  quiesce& q = past[number_];
  q.members[asked.name] = asked.members;
  if (clock_->always_asks() && !q.now.contains(asked.name)) return;
  const std::uint64_t now = q.now[asked.name];
  if (asked.count <= q.snapshot[asked.name] || asked.count == now || asked.count == now + 1) return;
  fail(rule::held, "start " + std::to_string(asked.count) + " on clock " + text_of(asked.name) + ", of which " +
                       std::to_string(now) + " went");
}

counts rank_part::now_of(request_number number) const {
  counts now = past.at(number).now;
  if (unsaid_ && number == number_) now[asked_.name] = std::max(now[asked_.name], asked_.count);
  return now;
}

void rank_part::check_verdict(verdict judged) {
  unsaid_ = false;
  const bool went = judged == verdict::go;
  ++(went ? all_.starts : all_.held);
  if (went && clock_->always_asks()) went_[asked_.name] = asked_.count;
  if (number_ == 0 || !went) return;
  quiesce& q = past[number_];
  if (asked_.count <= q.snapshot[asked_.name]) return;
  if (q.heard_line)
    fail(rule::none_after_line,
         "start " + std::to_string(asked_.count) + " on clock " + text_of(asked_.name) + " goes after the line");
  q.now[asked_.name] = asked_.count;
}

void rank_part::tell(const bytes& record) {
  frame_reader from(record);
  switch (type_of(record)) {
    case trace_record::begin: {
      const auto number = from.get<request_number>();
      return clock_->begin(number, from.get<std::vector<group_count>>());
    }
    case trace_record::receive:
      return told_unless_malformed([&] {
        const bytes frame = message(frame_type::clock_down, from.rest());
        frame_reader down(frame);
        clock_->receive(down);
      });
    case trace_record::line: return clock_->line();
    case trace_record::end: return clock_->end();
    case trace_record::start: {
      const auto asked = from.get<group_count>();
      const auto flags = from.get<std::uint8_t>();
      unsaid_ = clock_->start({.name = asked.name,
                               .count = asked.count,
                               .members = asked.members,
                               .blocking = (flags & 1) != 0,
                               .waits_for_all = (flags & 2) != 0,
                               .synchronized = (flags & 4) != 0}) == verdict::go;
      return;
    }
    case trace_record::wait_begins: {
      const auto who = from.get<std::uint64_t>();
      return clock_->wait_begins(who, from.get<std::vector<int>>());
    }
    case trace_record::wait_ends: return clock_->wait_ends(from.get<std::uint64_t>());
    default: fail(rule::whole, "no record of a rank: " + describe(record));
  }
}

void rank_part::pass_on(const bytes& record) {
  if (type_of(record) == trace_record::sent) link_.up.push_back(rest_of(frame_reader(record)));
}

}  // namespace clock_replay
