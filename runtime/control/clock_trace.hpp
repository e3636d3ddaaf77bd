// Traces of quiesces: the inputs and outputs of the clock of a rank, a relay or the coordinator, for tests/replay. Only
// a job that asks for traces has recorders around its clocks.
//
// A trace is a sequence of frames (wire.hpp) of these types. The recorder writes an input before it passes it on, and
// an output before it sends it. It writes each record with one write(2). So nothing has an effect that is not in the
// file, even if the process is killed. The last record may be torn.
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
  closed = 2,  // the last, if the process was not killed
  // Inputs of a rank's clock; names as in rank_clock.
  begin = 16,    // uint64 request, list of group_count
  receive = 17,  // payload of a clock_down
  line = 18,
  end = 19,          // also an input of the other clocks
  start = 20,        // group_count: the collective
  wait_begins = 21,  // uint64 who, list of int32 peers. Only if they have changed: threads poll
  wait_ends = 22,    // uint64 who
  // Inputs of a coordinator's or a relay's clock. A relay also has `receive` and `line`.
  request = 32,  // a relay: uint64 request
  heard = 33,    // int32 link, frame from it: answered or clock_up
  settle = 34,   // only after the clock has heard or received something
  // Outputs.
  sent = 48,     // a rank, a relay: frame
  verdict = 49,  // a rank, for the `start` before: uint8 clock::verdict
  sent_to = 50,  // int32 link, frame
  current = 51,  // for the `heard` before: uint8, whether it answers the current request
};

struct trace_head {
  static constexpr std::uint32_t this_format = 2;
  /// Stands for a rank: the relay of a process, or the coordinator.
  static constexpr std::int32_t relay_of(int process) { return -1 - process; }
  static constexpr std::int32_t coordinator = -1;
  std::uint32_t format = this_format;
  std::uint64_t job = 0;  // the same in all processes of one mpirun, different in others
  std::int32_t rank = coordinator, ranks = 0, fan_out = 0;
  std::string policy;
  static constexpr std::tuple fields{&trace_head::format, &trace_head::job, &trace_head::rank, &trace_head::ranks,
                                     &trace_head::fan_out, &trace_head::policy};
};

/// Writes whole records.
using trace_sink = std::function<void(const bytes&)>;
using rank_clock_maker = std::function<std::unique_ptr<rank_clock>(to_parent send)>;
using coordinator_clock_maker = std::function<std::unique_ptr<coordinator_clock>(to_link send)>;
using relay_clock_maker = std::function<std::unique_ptr<relay_clock>(to_link send, to_parent send_up)>;

/// A recorder around the clock that is made. Records `closed` when the recorder is destroyed.
std::unique_ptr<rank_clock> recorded(trace_sink sink, const rank_clock_maker& make, to_parent send);
std::unique_ptr<coordinator_clock> recorded(trace_sink sink, const coordinator_clock_maker& make, to_link send);
std::unique_ptr<relay_clock> recorded(trace_sink sink, const relay_clock_maker& make, to_link send, to_parent send_up);

/// A new file for this part of the job.      errors: std::system_error naming it
trace_sink open_trace(const std::string& directory, const trace_head& head);

/// Facts that all processes of a job share.
struct traced_job {
  std::string directory;  // for traces; empty: none are written
  job_key key;
  int ranks = 1, fan_out = clock::default_fan_out;
  std::string policy;
};
/// make_…_clock, with a trace if the job asks for one. If the trace cannot be opened, mana warns, and the clock
/// continues without a trace.
std::unique_ptr<rank_clock> make_rank_clock_in(const traced_job& job, int rank, to_parent send);
std::unique_ptr<coordinator_clock> make_coordinator_clock_in(const traced_job& job, to_link send);
/// range: of its process
std::unique_ptr<relay_clock> make_relay_clock_in(const traced_job& job, clock::rank_range range, to_link send,
                                                 to_parent send_up);

}  // namespace mana::control
