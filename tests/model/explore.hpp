// All executions of a program under a policy, depth first.
//
// The state graph has no cycle, and between two steps of the program only so many messages pass: both are checked, not
// assumed. So each execution is finite, whatever is delayed, and ends in a state without a step. That must be the
// program's end.
#pragma once
#include "hash_set.hpp"
#include "minimum.hpp"
#include "world.hpp"

#include <mana/clock/needs.hpp>

#include <deque>
#include <functional>

namespace clock_model {

enum class outcome : std::uint8_t { clean, unsafe, deadlock, livelock, limit, no_program, refused, stopped };
constexpr const char* names_of_outcomes[] = {"clean", "unsafe",     "deadlock", "livelock",
                                             "limit", "no program", "refused",  "stopped"};
inline const char* name_of(outcome o) { return names_of_outcomes[static_cast<std::size_t>(o)]; }
inline bool is_violation(outcome o) {
  return o == outcome::unsafe || o == outcome::deadlock || o == outcome::livelock;
}

struct findings {
  outcome what = outcome::clean;
  std::vector<step> schedule;                  // to the violation
  std::uint64_t states = 0, steps = 0;
  std::uint64_t lines = 0, ends = 0;           // states in which a line was declared; without a step
  std::uint64_t ends_without_line = 0;         // the program ended before it, and all had said what they had to say
  int most_talk = 0;                           // messages between two steps of the program
  int most_beyond = 0, most_collectives = 0;   // collectives started from the request to the line
  std::uint64_t all_beyond = 0;
  std::set<std::vector<std::uint64_t>> line_counts;      // if asked for: the counts at lines
  std::set<std::pair<std::uint64_t, std::uint64_t>> line_states, last_states;  // if asked for: settled_hash
};

struct limits {
  std::uint64_t states = 2'000'000;
  int talk = 400;
  bool keep_line_counts = false;
  bool keep_states = false;
};

/// Is asked every few milliseconds, with the states of the program so far.      out: go on
using watcher = std::function<bool(std::uint64_t states)>;

template <mana::clock::policy P>
class explorer {
 public:
  using state = world<P>;

  explorer(const script& s, const rules& how, const limits& most, watcher watch = {})
      : script_(s), how_(how), most_(most), watch_(std::move(watch)) {}

  findings depth_first() {
    std::vector<step> first;
    if (!enter(state(script_, how_), 0, std::move(first))) return std::move(found_);
    while (!frames_.empty()) {
      frame& top = frames_.back();
      if (top.tried == top.todo.size()) {
        frames_.pop_back();
        continue;
      }
      state next = top.at;
      const step s = top.todo[top.tried++];
      if (!next.take(s)) {
        if (--top.able == 0 && !ended(top.at)) return std::move(found_);
        continue;
      }
      if (++found_.steps % steps_between_looks == 0 && watch_ && !watch_(seen_.size())) {
        stop(outcome::stopped, {});
        return std::move(found_);
      }
      if (!enter(std::move(next), top.talk, {s})) return std::move(found_);
    }
    found_.states = seen_.size();
    return std::move(found_);
  }

  /// The shortest schedule to a violation of safety, or to a deadlock, in steps of the reduced graph; empty if the
  /// limit came first.
  std::vector<step> shortest() {
    struct node {
      state at;
      std::size_t from;
      std::vector<step> by;
    };
    std::deque<node> nodes;
    const auto path = [&](std::size_t i) {
      std::vector<step> all;
      for (; i != 0; i = nodes[i].from) all.insert(all.begin(), nodes[i].by.begin(), nodes[i].by.end());
      all.insert(all.begin(), nodes[0].by.begin(), nodes[0].by.end());
      return all;
    };
    seen_.clear();
    nodes.push_back({state(script_, how_), 0, {}});
    compress(nodes[0].at, nodes[0].by, nullptr);
    std::vector<step> todo;
    for (std::size_t i = 0; i < nodes.size() && nodes.size() < most_.states; ++i) {
      if (goes_on_by_itself(nodes[i].at)) continue;
      nodes[i].at.steps(todo);
      bool some = false;
      for (const step& s : todo) {
        state next = nodes[i].at;
        if (!next.take(s)) continue;
        some = true;
        std::vector<step> by{s};
        if (next.what_broke() == fault::none) compress(next, by, nullptr);
        const bool broke = next.what_broke() != fault::none;
        if (!broke && !seen_.insert(next.hash())) continue;
        nodes.push_back({std::move(next), i, std::move(by)});
        if (broke) return path(nodes.size() - 1);
      }
      if (!some && !nodes[i].at.all_ended()) return path(i);
    }
    return {};
  }

 private:
  static constexpr std::uint64_t steps_between_looks = 1024;

  struct frame {
    state at;
    std::vector<step> todo, by;
    std::size_t tried = 0, able = 0;
    int talk = 0;
    hash128 hash;
  };

  /// Nothing of any request is left, and no policy has a say without one.
  bool goes_on_by_itself(const state& at) const {
    return !mana::clock::always_asks<P> && at.is_native() && !how_.plan.empty() && !most_.keep_states;
  }

  /// Steps that may be taken alone are.
  void compress(state& at, std::vector<step>& by, int* talk) {
    for (;;) {
      if (talk != nullptr) note(at);
      if (at.what_broke() != fault::none) return;
      const auto s = at.solo();
      if (!s) return;
      if (talk != nullptr && (s->what == step::down || s->what == step::up || s->what == step::settle)) ++*talk;
      const int before = talk == nullptr ? 0 : at.progress();
      at.take(*s);
      by.push_back(*s);
      if (talk != nullptr && at.progress() != before) *talk = 0;
    }
  }

  /// out: the search goes on
  bool enter(state at, int talk, std::vector<step> by) {
    if (!frames_.empty() && frames_.back().at.progress() != at.progress()) talk = 0;
    else ++talk;
    compress(at, by, &talk);
    found_.most_talk = std::max(found_.most_talk, talk);
    if (at.what_broke() != fault::none)
      return stop(at.what_broke() == fault::kinds_differ ? outcome::no_program
                  : at.what_broke() == fault::refused    ? outcome::refused
                                                         : outcome::unsafe,
                  by);
    if (talk > most_.talk) return stop(outcome::livelock, by);
    const hash128 h = at.hash();
    if (!seen_.insert(h)) {
      // The program's steps only go on, so a cycle has none of them: its states are among the last ones.
      for (std::size_t back = 0; back < static_cast<std::size_t>(talk) && back < frames_.size(); ++back)
        if (frames_[frames_.size() - 1 - back].hash == h) return stop(outcome::livelock, by);
      return true;
    }
    if (seen_.size() > most_.states) return stop(outcome::limit, by);
    if (goes_on_by_itself(at)) {  // and it was seen to end without requests
      ++found_.ends;
      return true;
    }
    frame f{std::move(at), {}, std::move(by), 0, 0, talk, h};
    f.at.steps(f.todo);
    f.able = f.todo.size();
    frames_.push_back(std::move(f));
    return frames_.back().able != 0 || ended(frames_.back().at);
  }

  /// Nothing can happen any more. out: the search goes on
  bool ended(const state& at) {
    ++found_.ends;
    keep(at, found_.last_states);
    if (!at.all_ended()) return stop(outcome::deadlock, {});
    if (at.lines() == 0 && !how_.plan.empty() && how_.plan.back() == 'l') ++found_.ends_without_line;
    return true;
  }

  void keep(const state& at, std::set<std::pair<std::uint64_t, std::uint64_t>>& in) const {
    if (!most_.keep_states) return;
    const hash128 h = at.settled_hash();
    in.emplace(h.low, h.high);
  }

  void note(const state& at) {
    if (!at.at_new_line()) return;
    ++found_.lines;
    keep(at, found_.line_states);
    cut began, line;
    std::vector<std::uint64_t> counts;
    for (int r = 0; r < script_.size(); ++r) {
      began.push_back(at.doing(r).began_at);
      line.push_back(at.doing(r).started());
      counts.insert(counts.end(), at.doing(r).counts.begin(), at.doing(r).counts.end());
    }
    if (most_.keep_line_counts) found_.line_counts.insert(counts);
    if (std::find(began.begin(), began.end(), -1) != began.end()) return;
    const distance d = distance_of(script_, began, line);
    found_.most_collectives = std::max(found_.most_collectives, d.collectives);
    found_.most_beyond = std::max(found_.most_beyond, d.beyond());
    found_.all_beyond += static_cast<std::uint64_t>(std::max(0, d.beyond()));
  }

  bool stop(outcome what, const std::vector<step>& last) {
    found_.what = what;
    found_.states = seen_.size();
    for (const frame& f : frames_) found_.schedule.insert(found_.schedule.end(), f.by.begin(), f.by.end());
    found_.schedule.insert(found_.schedule.end(), last.begin(), last.end());
    return false;
  }

  const script& script_;
  const rules& how_;
  const limits& most_;
  const watcher watch_;
  hash_set seen_;
  std::vector<frame> frames_;
  findings found_;
};

/// The program ends under every schedule, if nobody asks for anything. Under any policy that does not always ask no
/// code of it runs then.
inline bool ends_natively(const script& s) {
  const rules none{
      .plan = "", .split_starts = false, .reduce = true, .prompt = false, .slow_computing = false, .fan_out = 0,
      .batches = false, .faults = {}};
  const limits most{.states = 20'000, .talk = 1'000'000, .keep_line_counts = false, .keep_states = false};
  return explorer<mana::clock::needs>(s, none, most).depth_first().what == outcome::clean;
}

}  // namespace clock_model
