// Traces of quiesces: what a rank's clock, or the coordinator's, was told and what it said, for tests/replay. Only who
// asks for them has a recorder around the clock.
//
// A trace is a sequence of frames (wire.hpp) of these types. The recorder writes down what it is told before it passes
// it on, and what is said before it is sent, each by one write(2): nothing has an effect that is not in the file, also
// of a process that is killed. Its last record may be torn.
#pragma once
#include "clock_parts.hpp"
#include "endpoint.hpp"

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
  end = 19,          // the coordinator too
  start = 20,        // group_count: the collective
  wait_begins = 21,  // uint64 who, list of int32 peers. Not if it is as before: threads poll
  wait_ends = 22,    // uint64 who
  // The coordinator was told.
  request = 32,
  heard = 33,  // int32 rank, frame of it: answered or clock_up
  settle = 34, // only after something was heard
  // They said.
  sent = 48,     // a rank: frame
  verdict = 49,  // a rank, of the start before it: uint8 clock::verdict
  sent_to = 50,  // the coordinator: int32 rank, frame
  current = 51,  // the coordinator, of the answer before it: uint8, it is the answer to the request that is under way
};

struct trace_head {
  static constexpr std::uint32_t this_format = 1;
  static constexpr std::int32_t coordinator = -1;
  std::uint32_t format = this_format;
  std::uint64_t job = 0;  // the same in all processes of one mpirun, and in no others
  std::int32_t rank = coordinator, ranks = 0;
  std::string policy;
  static constexpr std::tuple fields{&trace_head::format, &trace_head::job, &trace_head::rank, &trace_head::ranks,
                                     &trace_head::policy};
};

/// Takes whole records.
using trace_sink = std::function<void(const bytes&)>;
using rank_clock_maker = std::function<std::unique_ptr<rank_clock>(std::function<void(const bytes&)> send)>;
using coordinator_clock_maker =
    std::function<std::unique_ptr<coordinator_clock>(std::function<void(int rank, const bytes&)> send)>;

/// A clock as it is made, with a recorder around it. Says `closed` at its end.
std::unique_ptr<rank_clock> recorded(trace_sink sink, const rank_clock_maker& make,
                                     std::function<void(const bytes&)> send);
std::unique_ptr<coordinator_clock> recorded(trace_sink sink, const coordinator_clock_maker& make,
                                            std::function<void(int rank, const bytes&)> send);

/// A new file for this part of the job.      errors: std::system_error naming it
trace_sink open_trace(const std::string& directory, const trace_head& head);

/// make_rank_clock and make_coordinator_clock, with a trace in `directory` if that is not empty. One that cannot be
/// written is no error: a warning, and the clock goes on without.
/// where: of the job, with its key
std::unique_ptr<rank_clock> make_rank_clock_in(const std::string& directory, const endpoint& where, int ranks,
                                               const std::string& policy, int rank,
                                               std::function<void(const bytes&)> send);
std::unique_ptr<coordinator_clock> make_coordinator_clock_in(const std::string& directory, const endpoint& where,
                                                             int ranks, const std::string& policy,
                                                             std::function<void(int rank, const bytes&)> send);

}  // namespace mana::control
