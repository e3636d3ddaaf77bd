// Traces of quiesces as files (runtime/control/clock_trace.hpp), and what can be wrong with them.
#pragma once
#include <runtime/control/clock_trace.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace clock_replay {

using mana::control::bytes;
using mana::control::trace_head;
using mana::control::trace_record;

/// What a trace may break.
enum class rule {
  whole,            // it can be read; only its last record may be torn
  one_job,          // each rank and the coordinator leave one trace of a job, with the same policy
  policy,           // it is one that this replayer knows
  reproduced,       // a fresh clock that is told the same says the same
  sent,             // what arrives was sent
  in_order,         // and arrives as it was sent
  equal_counts,     // at a line each clock has the same count on all of its members
  none_after_line,  // from the line to the end no start goes, unless the snapshot counts it
  once,             // a line is declared during a request, once to each rank
  heard,            // between two that came to their end, nothing is lost
  held,             // starts on a clock follow one another: those that were held are not counted
};
const char* name_of(rule broken);

struct violation {
  std::string file;
  std::size_t record;  // 0: the head
  rule broken;
  std::string text;
  /// One line.
  std::string describe() const;
};

struct trace {
  std::string file;
  trace_head head;
  std::vector<bytes> records;  // after the head; type and payload, as frame_reader takes them
  bool torn = false;           // a part of one more record stands at the end
};

/// As it arrives: without its length.
inline bytes body_of(const bytes& frame) { return {frame.begin() + 4, frame.end()}; }
inline trace_record type_of(const bytes& record) { return static_cast<trace_record>(record[0]); }
/// For people: its type and its first bytes.
std::string describe(const bytes& record);

/// out: nothing if not even the head is whole: the process was killed when it made the file
/// errors: violation, std::system_error
std::optional<trace> read_trace(const std::filesystem::path& file);
/// As its recorder wrote it.
void write_trace(const std::filesystem::path& file, const trace& t);

}  // namespace clock_replay
