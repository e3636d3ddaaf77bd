// Traces of quiesces: what the clock of a rank, of a relay or of the coordinator was told and what it said, for
// tests/replay. Only who asks for them has a recorder around the clock.
//
// A trace is a sequence of frames (wire.hpp) of these types. The recorder writes down what it is told before it passes
// it on, and what is said before it is sent, each by one write(2): nothing has an effect that is not in the file, also
// of a process that is killed. Its last record may be torn.
#pragma once
#include <runtime/control/clock_parts.hpp>
#include <runtime/control/endpoint.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace mana::control {

enum class trace_record : std::uint8_t {
  opened = 1,  // the first: trace_head
  closed = 2,  // the last, unless the process was killed
  // A rank was told; names as in rank_clock.
  begin = 16,    // uint64 request, list of group_count
  receive = 17,  // payload of a clock_down
  line = 18,
  end = 19,          // all too
  start = 20,        // group_count: the collective
  wait_begins = 21,  // uint64 who, list of int32 peers. Not if it is as before: threads poll
  wait_ends = 22,    // uint64 who
  // The coordinator, or a relay, was told. A relay also `receive` and `line`.
  request = 32,  // a relay: uint64 request
  heard = 33,    // int32 link, frame of it: answered or clock_up
  settle = 34,   // only after something was heard or received
  // They said.
  sent = 48,     // a rank, a relay: frame
  verdict = 49,  // a rank, of the start before it: uint8 clock::verdict
  sent_to = 50,  // int32 link, frame
  current = 51,  // of the answer before it: uint8, it is the answer to the request that is under way
};

struct trace_head {
  static constexpr std::uint32_t this_format = 2;
  /// In place of a rank: the relay of a process, or the coordinator.
  static constexpr std::int32_t relay_of(int process) { return -1 - process; }
  static constexpr std::int32_t coordinator = -1;
  std::uint32_t format = this_format;
  std::uint64_t job = 0;  // the same in all processes of one mpirun, and in no others
  std::int32_t rank = coordinator, ranks = 0, fan_out = 0;
  std::string policy;
  static constexpr std::tuple fields{&trace_head::format, &trace_head::job, &trace_head::rank, &trace_head::ranks,
                                     &trace_head::fan_out, &trace_head::policy};
};

/// Takes whole records.
using trace_sink = std::function<void(const bytes&)>;
using rank_clock_maker = std::function<std::unique_ptr<rank_clock>(to_parent send)>;
using coordinator_clock_maker = std::function<std::unique_ptr<coordinator_clock>(to_link send)>;
using relay_clock_maker = std::function<std::unique_ptr<relay_clock>(to_link send, to_parent send_up)>;

/// A clock as it is made, with a recorder around it. Says `closed` at its end.
std::unique_ptr<rank_clock> recorded(trace_sink sink, const rank_clock_maker& make, to_parent send);
std::unique_ptr<coordinator_clock> recorded(trace_sink sink, const coordinator_clock_maker& make, to_link send);
std::unique_ptr<relay_clock> recorded(trace_sink sink, const relay_clock_maker& make, to_link send, to_parent send_up);

/// A new file for this part of the job.      errors: std::system_error naming it
trace_sink open_trace(const std::string& directory, const trace_head& head);

/// What is the same in all processes of a job.
struct traced_job {
  std::string directory;  // of traces; empty: none are written
  job_key key;
  int ranks = 1, fan_out = clock::default_fan_out;
  std::string policy;
};
/// make_…_clock, with a trace if there is to be one. One that cannot be written is no error: a warning, and the clock
/// goes on without.
std::unique_ptr<rank_clock> make_rank_clock_in(const traced_job& job, int rank, to_parent send);
std::unique_ptr<coordinator_clock> make_coordinator_clock_in(const traced_job& job, to_link send);
/// range: of its process
std::unique_ptr<relay_clock> make_relay_clock_in(const traced_job& job, clock::rank_range range, to_link send,
                                                 to_parent send_up);

}  // namespace mana::control
