// Recorders: a recorder is a clock around another clock of the same interface. See clock_trace.hpp.
#include <runtime/control/clock_trace.hpp>

#include <map>
#include <utility>

namespace mana::control {

namespace {

frame_writer record(trace_record type) { return frame_writer(static_cast<frame_type>(type)); }

/// A frame as it is received: without its length.
frame_writer& put_frame(frame_writer& into, const bytes& frame) {
  return into.raw(frame.data() + 4, frame.size() - 4);
}

/// Writes records, and records what the clock sends.
class notes {
 protected:
  explicit notes(trace_sink sink) : sink_(std::move(sink)) {}

  void note(frame_writer& r) { sink_(r.take()); }
  void note(frame_writer&& r) { sink_(r.take()); }
  to_parent noting(to_parent send) {
    return [this, send = std::move(send)](const bytes& frame) {
      frame_writer said = record(trace_record::sent);
      note(put_frame(said, frame));
      send(frame);
    };
  }
  to_link noting(to_link send) {
    return [this, send = std::move(send)](int link, const bytes& frame) {
      frame_writer said = record(trace_record::sent_to);
      note(put_frame(said.put(link), frame));
      send(link, frame);
    };
  }

 private:
  const trace_sink sink_;
};

class rank_recorder final : public rank_clock, notes {
 public:
  rank_recorder(trace_sink sink, const rank_clock_maker& make, to_parent send)
      : notes(std::move(sink)), clock_(make(noting(std::move(send)))) {}
  ~rank_recorder() override { note(record(trace_record::closed)); }

  void begin(clock::request_number number, std::vector<clock::group_count> counts) override {
    note(record(trace_record::begin).put(number).put(counts));
    clock_->begin(number, std::move(counts));
  }
  void receive(frame_reader& frame) override {
    note(record(trace_record::receive).raw(frame.rest().data(), frame.rest().size()));
    clock_->receive(frame);
  }
  void line() override {
    note(record(trace_record::line));
    clock_->line();
  }
  void end() override {
    note(record(trace_record::end));
    clock_->end();
  }
  clock::verdict start(const clock::collective& next) override {
    const clock::group_count asked{next.name, next.count, next.members};
    const auto flag = [](bool is, int bit) { return static_cast<std::uint8_t>(is ? 1 << bit : 0); };
    const int flags = flag(next.blocking, 0) | flag(next.waits_for_all, 1) | flag(next.synchronized, 2);
    note(record(trace_record::start).put(asked).put(static_cast<std::uint8_t>(flags)));
    const clock::verdict judged = clock_->start(next);
    note(record(trace_record::verdict).put(static_cast<std::uint8_t>(judged)));
    return judged;
  }
  void wait_begins(std::uint64_t who, std::span<const int> peers) override {
    std::vector<int> now(peers.begin(), peers.end());
    const auto before = waits_.find(who);
    if (before == waits_.end() || before->second != now) note(record(trace_record::wait_begins).put(who).put(now));
    waits_[who] = std::move(now);
    clock_->wait_begins(who, peers);
  }
  void wait_ends(std::uint64_t who) override {
    note(record(trace_record::wait_ends).put(who));
    waits_.erase(who);
    clock_->wait_ends(who);
  }
  bool always_asks() const noexcept override { return clock_->always_asks(); }
  bool quiescing() const noexcept override { return clock_->quiescing(); }
  bool at_line() const noexcept override { return clock_->at_line(); }
  std::uint64_t changes() const noexcept override { return clock_->changes(); }

 private:
  std::map<std::uint64_t, std::vector<int>> waits_;  // as recorded
  const std::unique_ptr<rank_clock> clock_;
};

/// The common part of the recorders of a coordinator and of a relay. Clock: coordinator_clock, relay_clock
template <class Clock>
class link_recorder : public Clock, protected notes {
 public:
  ~link_recorder() override { note(record(trace_record::closed)); }

  void end() final {
    note(record(trace_record::end));
    clock_->end();
  }
  bool answer(int link, frame_reader& frame) final {
    note_heard(link, frame);
    const bool current = clock_->answer(link, frame);
    note(record(trace_record::current).put(static_cast<std::uint8_t>(current)));
    return current;
  }
  void receive(int link, frame_reader& frame) final {
    note_heard(link, frame);
    clock_->receive(link, frame);
  }
  /// Records `settle` only if the clock has heard something.
  void settle() final {
    if (!std::exchange(has_heard_, false)) return;
    note(record(trace_record::settle));
    clock_->settle();
  }

 protected:
  explicit link_recorder(trace_sink sink) : notes(std::move(sink)) {}

  std::unique_ptr<Clock> clock_;
  bool has_heard_ = false;  // since the last settle()

 private:
  void note_heard(int link, const frame_reader& frame) {
    has_heard_ = true;
    note(record(trace_record::heard).put(link).put(frame.type()).raw(frame.rest().data(), frame.rest().size()));
  }
};

class coordinator_recorder final : public link_recorder<coordinator_clock> {
 public:
  coordinator_recorder(trace_sink sink, const coordinator_clock_maker& make, to_link send)
      : link_recorder(std::move(sink)) {
    clock_ = make(noting(std::move(send)));
  }

  void request() override {
    note(record(trace_record::request));
    clock_->request();
  }
  bool done() const noexcept override { return clock_->done(); }
  std::string describe() const override { return clock_->describe(); }
};

class relay_recorder final : public link_recorder<relay_clock> {
 public:
  relay_recorder(trace_sink sink, const relay_clock_maker& make, to_link send, to_parent send_up)
      : link_recorder(std::move(sink)) {
    clock_ = make(noting(std::move(send)), noting(std::move(send_up)));
  }

  void request(frame_reader& frame) override {
    note(record(trace_record::request).raw(frame.rest().data(), frame.rest().size()));
    clock_->request(frame);
  }
  void hear(frame_reader& frame) override {
    has_heard_ = true;
    note(record(trace_record::receive).raw(frame.rest().data(), frame.rest().size()));
    clock_->hear(frame);
  }
  void line() override {
    note(record(trace_record::line));
    clock_->line();
  }
};

}  // namespace

std::unique_ptr<rank_clock> recorded(trace_sink sink, const rank_clock_maker& make, to_parent send) {
  return std::make_unique<rank_recorder>(std::move(sink), make, std::move(send));
}

std::unique_ptr<coordinator_clock> recorded(trace_sink sink, const coordinator_clock_maker& make, to_link send) {
  return std::make_unique<coordinator_recorder>(std::move(sink), make, std::move(send));
}

std::unique_ptr<relay_clock> recorded(trace_sink sink, const relay_clock_maker& make, to_link send,
                                      to_parent send_up) {
  return std::make_unique<relay_recorder>(std::move(sink), make, std::move(send), std::move(send_up));
}

}  // namespace mana::control
