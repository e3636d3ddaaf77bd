#include "clock_trace.hpp"

#include "connection.hpp"

#include <mana/clock/policies.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <map>
#include <system_error>
#include <utility>

namespace mana::control {

namespace {

frame_writer record(trace_record type) { return frame_writer(static_cast<frame_type>(type)); }

/// A frame as it is received: without its length.
frame_writer& put_frame(frame_writer& into, const bytes& frame) { return into.raw(frame.data() + 4, frame.size() - 4); }

class rank_recorder final : public rank_clock {
 public:
  rank_recorder(trace_sink sink, const rank_clock_maker& make, std::function<void(const bytes&)> send)
      : sink_(std::move(sink)), send_(std::move(send)), clock_(make([this](const bytes& frame) {
          frame_writer said = record(trace_record::sent);
          note(put_frame(said, frame));
          send_(frame);
        })) {}
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
  void note(frame_writer& r) { sink_(r.take()); }
  void note(frame_writer&& r) { sink_(r.take()); }

  const trace_sink sink_;
  const std::function<void(const bytes&)> send_;
  std::map<std::uint64_t, std::vector<int>> waits_;  // as recorded
  const std::unique_ptr<rank_clock> clock_;
};

class coordinator_recorder final : public coordinator_clock {
 public:
  coordinator_recorder(trace_sink sink, const coordinator_clock_maker& make,
                       std::function<void(int, const bytes&)> send)
      : sink_(std::move(sink)), send_(std::move(send)), clock_(make([this](int rank, const bytes& frame) {
          frame_writer said = record(trace_record::sent_to);
          note(put_frame(said.put(rank), frame));
          send_(rank, frame);
        })) {}
  ~coordinator_recorder() override { note(record(trace_record::closed)); }

  void request() override {
    note(record(trace_record::request));
    clock_->request();
  }
  void end() override {
    note(record(trace_record::end));
    clock_->end();
  }
  bool done() const noexcept override { return clock_->done(); }
  bool answer(int rank, frame_reader& frame) override {
    note_heard(rank, frame);
    const bool current = clock_->answer(rank, frame);
    note(record(trace_record::current).put(static_cast<std::uint8_t>(current)));
    return current;
  }
  void receive(int rank, frame_reader& frame) override {
    note_heard(rank, frame);
    clock_->receive(rank, frame);
  }
  /// Where nothing was heard there is nothing to say.
  void settle() override {
    if (!std::exchange(has_heard_, false)) return;
    note(record(trace_record::settle));
    clock_->settle();
  }
  std::string describe() const override { return clock_->describe(); }

 private:
  void note(frame_writer& r) { sink_(r.take()); }
  void note(frame_writer&& r) { sink_(r.take()); }
  void note_heard(int rank, const frame_reader& frame) {
    has_heard_ = true;
    note(record(trace_record::heard).put(rank).put(frame.type()).raw(frame.rest().data(), frame.rest().size()));
  }

  const trace_sink sink_;
  const std::function<void(int, const bytes&)> send_;
  bool has_heard_ = false;  // since it was settled
  const std::unique_ptr<coordinator_clock> clock_;
};

/// All of them, or errno says why not.
bool write_all(int fd, const bytes& data) {
  for (std::size_t done = 0; done < data.size();) {
    const ssize_t n = write(fd, data.data() + done, data.size() - done);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return true;
}

/// The file of one part. Where it cannot be written any more it ends, as a killed process's does.
class trace_file {
 public:
  trace_file(std::string path, handle fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  void append(const bytes& record) {
    if (!fd_ || write_all(fd_.get(), record)) return;
    std::fprintf(stderr, "mana: warning: %s: %s: the trace ends here\n", path_.c_str(),
                 std::generic_category().message(errno).c_str());
    fd_ = handle();
  }

 private:
  const std::string path_;
  handle fd_;
};

/// Tells jobs apart, and says nothing about the key.
std::uint64_t job_of(const endpoint& where) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const std::uint8_t b : where.key) hash = (hash ^ b) * 0x100000001b3;
  return hash;
}

std::string file_name(const trace_head& head) {
  char job[17];
  std::snprintf(job, sizeof job, "%016llx", static_cast<unsigned long long>(head.job));
  const bool is_rank = head.rank != trace_head::coordinator;
  return std::string("clock-") + job + (is_rank ? "-rank-" + std::to_string(head.rank) : "-coordinator");
}

/// The clock of `make`, with a trace if there is to be one and can be.
template <class Maker, class Send>
auto make_in(const std::string& directory, const trace_head& head, const Maker& make, Send send) {
  if (directory.empty()) return make(std::move(send));
  try {
    return recorded(open_trace(directory, head), make, send);
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "mana: warning: no trace of the clock: %s\n", error.what());
    return make(std::move(send));
  }
}

trace_head head_of(const endpoint& where, int rank, int ranks, const std::string& policy) {
  return {trace_head::this_format, job_of(where), rank, ranks,
          policy.empty() ? std::string(clock::policy_names().front()) : policy};
}

}  // namespace

std::unique_ptr<rank_clock> recorded(trace_sink sink, const rank_clock_maker& make,
                                     std::function<void(const bytes&)> send) {
  return std::make_unique<rank_recorder>(std::move(sink), make, std::move(send));
}

std::unique_ptr<coordinator_clock> recorded(trace_sink sink, const coordinator_clock_maker& make,
                                            std::function<void(int, const bytes&)> send) {
  return std::make_unique<coordinator_recorder>(std::move(sink), make, std::move(send));
}

trace_sink open_trace(const std::string& directory, const trace_head& head) {
  const std::string path = directory + "/" + file_name(head);
  handle fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (!fd) throw std::system_error(errno, std::generic_category(), path);
  auto file = std::make_shared<trace_file>(path, std::move(fd));
  file->append(record(trace_record::opened).put(head).take());
  return [file](const bytes& r) { file->append(r); };
}

std::unique_ptr<rank_clock> make_rank_clock_in(const std::string& directory, const endpoint& where, int ranks,
                                               const std::string& policy, int rank,
                                               std::function<void(const bytes&)> send) {
  const rank_clock_maker make = [&](std::function<void(const bytes&)> to) {
    return make_rank_clock(policy, rank, std::move(to));
  };
  return make_in(directory, head_of(where, rank, ranks, policy), make, std::move(send));
}

std::unique_ptr<coordinator_clock> make_coordinator_clock_in(const std::string& directory, const endpoint& where,
                                                             int ranks, const std::string& policy,
                                                             std::function<void(int, const bytes&)> send) {
  const coordinator_clock_maker make = [&](std::function<void(int, const bytes&)> to) {
    return make_coordinator_clock(policy, ranks, std::move(to));
  };
  return make_in(directory, head_of(where, trace_head::coordinator, ranks, policy), make, std::move(send));
}

}  // namespace mana::control
