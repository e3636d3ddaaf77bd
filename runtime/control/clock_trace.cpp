#include <runtime/control/clock_trace.hpp>

#include <runtime/control/connection.hpp>
#include <runtime/control/own_words.hpp>

#include <mana/clock/policies.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace mana::control {

namespace {

/// Writes all bytes, or sets errno.
bool write_all(int fd, const bytes& data) {
  for (std::size_t done = 0; done < data.size();) {
    const ssize_t n = write(fd, data.data() + done, data.size() - done);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return true;
}

/// The trace of one part of the job. After a failed write the trace ends, as the trace of a killed process does.
class trace_file {
 public:
  trace_file(std::string path, handle fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  void append(const bytes& record) {
    if (!fd_ || write_all(fd_.get(), record)) return;
    say("mana: warning: " + path_ + ": " + std::generic_category().message(errno) + ": the trace ends here\n");
    fd_ = handle();
  }

 private:
  const std::string path_;
  handle fd_;
};

/// Differs between jobs, and reveals nothing of the key.
std::uint64_t number_of(const job_key& key) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const std::uint8_t b : key) hash = (hash ^ b) * 0x100000001b3;
  return hash;
}

std::string file_name(const trace_head& head) {
  char job[17];
  std::snprintf(job, sizeof job, "%016llx", static_cast<unsigned long long>(head.job));
  const std::string part = head.rank >= 0                          ? "rank-" + std::to_string(head.rank)
                           : head.rank == trace_head::coordinator ? "coordinator"
                                                                  : "relay-" + std::to_string(-1 - head.rank);
  return std::string("clock-") + job + "-" + part;
}

/// The clock that `make` makes of the senders, with a trace if the job asks for one and the file can be opened.
/// part: trace_head::rank
template <class Maker, class... Senders>
auto make_in(const traced_job& job, int part, const Maker& make, Senders... send) {
  if (job.directory.empty()) return make(std::move(send)...);
  try {
    const std::string policy(job.policy.empty() ? clock::policy_names().front() : std::string_view(job.policy));
    const trace_head head{trace_head::this_format, number_of(job.key), part, job.ranks, job.fan_out, policy};
    return recorded(open_trace(job.directory, head), make, send...);
  } catch (const std::system_error& error) {
    say(std::string("mana: warning: no trace of the clock: ") + error.what() + "\n");
    return make(std::move(send)...);
  }
}

}  // namespace

trace_sink open_trace(const std::string& directory, const trace_head& head) {
  const std::string path = directory + "/" + file_name(head);
  handle fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (!fd) throw std::system_error(errno, std::generic_category(), path);
  auto file = std::make_shared<trace_file>(path, std::move(fd));
  file->append(frame_writer(static_cast<frame_type>(trace_record::opened)).put(head).take());
  return [file](const bytes& r) { file->append(r); };
}

std::unique_ptr<rank_clock> make_rank_clock_in(const traced_job& job, int rank, to_parent send) {
  const rank_clock_maker make = [&](to_parent to) { return make_rank_clock(job.policy, rank, std::move(to)); };
  return make_in(job, rank, make, std::move(send));
}

std::unique_ptr<coordinator_clock> make_coordinator_clock_in(const traced_job& job, to_link send) {
  const coordinator_clock_maker make = [&](to_link to) {
    return make_coordinator_clock(job.policy, clock::links_of({0, job.ranks}, job.fan_out), std::move(to));
  };
  return make_in(job, trace_head::coordinator, make, std::move(send));
}

std::unique_ptr<relay_clock> make_relay_clock_in(const traced_job& job, clock::rank_range range, to_link send,
                                                 to_parent send_up) {
  if (!combines(job.policy)) return nullptr;
  const relay_clock_maker make = [&](to_link to, to_parent up) {
    return make_relay_clock(job.policy, clock::links_of(range, job.fan_out), std::move(to), std::move(up));
  };
  return make_in(job, trace_head::relay_of(range.first), make, std::move(send), std::move(send_up));
}

}  // namespace mana::control
