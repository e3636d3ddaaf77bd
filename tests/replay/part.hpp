// One process's trace against the very code that wrote it: a recorder around a fresh clock is told what the trace was
// told, and what it writes must be the trace.
#pragma once
#include "trace.hpp"

#include <deque>
#include <map>
#include <memory>
#include <set>

namespace clock_replay {

using mana::clock::group_name;
using mana::clock::request_number;
using counts = std::map<group_name, std::uint64_t>;
using mana::control::to_link;
using mana::control::to_parent;
using ranges = std::vector<mana::clock::rank_range>;

/// Makes the clocks that are replayed.      errors: std::invalid_argument if there is no such policy
struct makers {
  std::function<std::unique_ptr<mana::control::rank_clock>(const std::string& policy, int rank, to_parent send)> rank =
      mana::control::make_rank_clock;
  std::function<std::unique_ptr<mana::control::coordinator_clock>(const std::string& policy, const ranges& links,
                                                                  to_link send)>
      coordinator = mana::control::make_coordinator_clock;
  std::function<std::unique_ptr<mana::control::relay_clock>(const std::string& policy, const ranges& links,
                                                            to_link send, to_parent send_up)>
      relay = mana::control::make_relay_clock;
};

struct totals {
  std::uint64_t jobs = 0, requests = 0, lines = 0, messages = 0, starts = 0, held = 0;
};

class part;

/// Messages between a rank or relay and the part above it that were sent and have not arrived: type and payload.
struct link {
  std::deque<bytes> up, down;
  const part *above = nullptr, *below = nullptr;  // nullptr: it has left no trace
};

class part {
 public:
  part(const trace& t, totals& all) : all_(all), trace_(t) {}
  virtual ~part() = default;
  part(const part&) = delete;
  part& operator=(const part&) = delete;

  /// One record. out: false: there is none, or it is the arrival of a message that is not under way yet
  /// errors: violation
  bool step();
  bool at_end() const { return next_ == trace_.records.size(); }
  /// The link over which comes what the next record needs.
  virtual const link& awaited() const = 0;
  /// Its process has come to its end, so nothing is lacking.
  bool is_whole() const { return closed_; }
  [[noreturn]] void fail(rule broken, const std::string& text) const;
  std::size_t place() const { return next_ + 1; }
  const std::string& file() const { return trace_.file; }

 protected:
  /// Takes the message that this record says has arrived. out: false: it is not under way
  virtual bool take_message(const bytes&) = 0;
  /// What must hold of it, whatever the policy. Called before the policy is asked.
  virtual void check(const bytes& record) = 0;
  virtual void tell(const bytes& record) = 0;
  virtual void end_clock() = 0;
  /// It is what the policy says too.
  virtual void pass_on(const bytes&) {}

  /// frame: if nothing else is the next to arrive      out: false: nothing is under way
  bool take(std::deque<bytes>& from, const bytes& frame);
  mana::control::trace_sink sink() {
    return [this](const bytes& frame) { again_.push_back(body_of(frame)); };
  }

  const bytes& next() const { return trace_.records[next_]; }

  totals& all_;

 private:
  void step_on(const bytes& record);

  const trace& trace_;
  std::size_t next_ = 0;
  bool closed_ = false;
  std::deque<bytes> again_;  // what the clock's recorder has written, beyond what the trace has come to
};

/// A rank's trace. What the rules on all ranks need of each request is in `past` when the request is over.
class rank_part final : public part {
 public:
  struct quiesce {
    counts snapshot, now;  // now: with the starts that went
    std::map<group_name, mana::clock::rank_set> members;
    bool heard_line = false;
  };
  rank_part(const trace& t, link& up, const makers& make, totals& all);
  const link& awaited() const override { return link_; }

  std::map<request_number, quiesce> past;
  /// With a start that went when the process was killed, before it could say so.
  counts now_of(request_number number) const;

 private:
  bool take_message(const bytes& record) override;
  void check(const bytes& record) override;
  void tell(const bytes& record) override;
  void end_clock() override { clock_.reset(); }
  void pass_on(const bytes& record) override;
  void begin(request_number number, const std::vector<mana::clock::group_count>& counted);
  void check_start(const mana::clock::group_count& asked);
  void check_verdict(mana::clock::verdict judged);

  link& link_;
  std::unique_ptr<mana::control::rank_clock> clock_;
  request_number number_ = 0;       // 0: no quiesce
  mana::clock::group_count asked_;  // the last start
  bool unsaid_ = false;             // it goes, by the clock, and its verdict was not read yet
  counts went_;                     // of a policy that always asks, which counts by itself: starts in this process
};

}  // namespace clock_replay
