#include "trace.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

namespace clock_replay {

using mana::control::frame_reader;
using mana::control::frame_type;
using mana::control::frame_writer;
using mana::control::max_frame;
using mana::control::wire_error;

namespace {

const char* name_of(trace_record type) {
  switch (type) {
    case trace_record::opened: return "opened";
    case trace_record::closed: return "closed";
    case trace_record::begin: return "begin";
    case trace_record::receive: return "receive";
    case trace_record::line: return "line";
    case trace_record::end: return "end";
    case trace_record::start: return "start";
    case trace_record::wait_begins: return "wait_begins";
    case trace_record::wait_ends: return "wait_ends";
    case trace_record::request: return "request";
    case trace_record::heard: return "heard";
    case trace_record::settle: return "settle";
    case trace_record::sent: return "sent";
    case trace_record::verdict: return "verdict";
    case trace_record::sent_to: return "sent_to";
    case trace_record::current: return "current";
  }
  return "of unknown type";
}

bytes read_all(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::system_error(errno, std::generic_category(), file.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

trace_head read_head(const std::string& file, const bytes& record) {
  try {
    frame_reader from(record);
    if (type_of(record) != trace_record::opened) throw wire_error();
    // Read alone first: of another format, the rest may be anything.
    if (frame_reader(record).get<std::uint32_t>() != trace_head::this_format)
      throw violation{file, 0, rule::whole, "a trace of another format"};
    return from.get<trace_head>();
  } catch (const wire_error&) { throw violation{file, 0, rule::whole, "no head of a trace"}; }
}

}  // namespace

const char* name_of(rule broken) {
  switch (broken) {
    case rule::whole: return "whole";
    case rule::one_job: return "one_job";
    case rule::policy: return "policy";
    case rule::reproduced: return "reproduced";
    case rule::sent: return "sent";
    case rule::in_order: return "in_order";
    case rule::equal_counts: return "equal_counts";
    case rule::none_after_line: return "none_after_line";
    case rule::once: return "once";
    case rule::heard: return "heard";
    case rule::held: return "held";
  }
  return "";
}

std::string violation::describe() const {
  return file + ": record " + std::to_string(record) + ": " + name_of(broken) + ": " + text;
}

std::string describe(const bytes& record) {
  constexpr std::size_t most = 48;
  std::string text = name_of(type_of(record));
  for (std::size_t i = 1; i < record.size() && i <= most; ++i) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%s%02x", i % 4 == 1 ? " " : "", record[i]);
    text += digits;
  }
  return record.size() > most + 1 ? text + "…" : text;
}

std::optional<trace> read_trace(const std::filesystem::path& file) {
  const bytes data = read_all(file);
  trace t{file.filename().string(), {}, {}, false};
  std::vector<bytes> all;
  std::size_t at = 0;
  while (at < data.size()) {
    std::uint32_t length = 0;
    t.torn = data.size() - at < sizeof length;
    if (t.torn) break;
    std::memcpy(&length, data.data() + at, sizeof length);
    if (length == 0 || length > max_frame) throw violation{t.file, all.size(), rule::whole, "its length cannot be"};
    t.torn = data.size() - at - sizeof length < length;
    if (t.torn) break;
    const auto begin = data.begin() + static_cast<std::ptrdiff_t>(at + sizeof length);
    all.emplace_back(begin, begin + length);
    at += sizeof length + length;
  }
  if (all.empty()) return std::nullopt;
  t.head = read_head(t.file, all.front());
  t.records.assign(all.begin() + 1, all.end());
  return t;
}

void write_trace(const std::filesystem::path& file, const trace& t) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  const auto put = [&out](const bytes& frame) {
    out.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
  };
  put(frame_writer(static_cast<frame_type>(trace_record::opened)).put(t.head).take());
  for (const bytes& r : t.records)
    put(frame_writer(static_cast<frame_type>(r[0])).raw(r.data() + 1, r.size() - 1).take());
}

}  // namespace clock_replay
