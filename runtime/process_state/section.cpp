#include <runtime/process_state/section.hpp>

#include <mana/lower/abi.hpp>

#include <nlohmann/json.hpp>
#include <runtime/files/read_document.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>

using nlohmann::json;

namespace mana::process_state {

namespace {

json as_json(const signal_queue& signals) {
  json list = json::array();
  for (const siginfo_t& info : signals) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&info);
    list.push_back(json::binary({bytes, bytes + sizeof info}));
  }
  return list;
}

signal_queue queue_from(const json& list) {
  signal_queue signals;
  for (const json& row : list) {
    const json::binary_t& bytes = row.get_binary();
    siginfo_t info{};
    if (bytes.size() != sizeof info) throw std::runtime_error("a signal that was waiting has another size");
    std::memcpy(&info, bytes.data(), sizeof info);
    signals.push_back(info);
  }
  return signals;
}

json as_json(const thread_record& t) {
  return {{"tid", t.tid},
          {"name", std::string(t.name.data(), strnlen(t.name.data(), t.name.size()))},
          {"attributes", t.attributes},
          {"pending", as_json(t.pending)}};
}

thread_record thread_from(const json& row) {
  thread_record t;
  t.tid = row.at("tid");
  row.at("name").get_ref<const std::string&>().copy(t.name.data(), t.name.size() - 1);
  t.attributes = row.at("attributes");
  t.pending = queue_from(row.at("pending"));
  return t;
}

json as_json(const posix_timer& t) {
  return {{"id", t.id},
          {"clock", t.clock},
          {"notify", t.notify},
          {"signal", t.signal},
          {"value", t.value},
          {"tid", t.tid},
          {"left", {t.time.it_value.tv_sec, t.time.it_value.tv_nsec}},
          {"interval", {t.time.it_interval.tv_sec, t.time.it_interval.tv_nsec}},
          {"overrun", t.overrun}};
}

posix_timer timer_from(const json& row) {
  const json &left = row.at("left"), &interval = row.at("interval");
  return {row.at("id"), row.at("clock"), row.at("notify"), row.at("signal"), row.at("value"), row.at("tid"),
          {{interval.at(0), interval.at(1)}, {left.at(0), left.at(1)}}, row.at("overrun")};
}

json as_json(const itimerval& t) {
  return {t.it_value.tv_sec, t.it_value.tv_usec, t.it_interval.tv_sec, t.it_interval.tv_usec};
}

itimerval interval_from(const json& row) { return {{row.at(2), row.at(3)}, {row.at(0), row.at(1)}}; }

json as_json(const mapping_state& m) {
  return {{"begin", m.begin}, {"end", m.end},       {"advice", m.advice},
          {"lock", m.lock},   {"grows", m.grows}, {"policy", m.policy},   {"sealed", m.sealed},
          {"droppable", m.droppable}, {"name", m.name}};
}

mapping_state mapping_from(const json& row) {
  return {row.at("begin"), row.at("end"),    row.at("advice"),           row.at("lock"),
          row.at("grows"), row.at("policy"), row.value("sealed", false), row.value("droppable", false),
          row.value("name", std::string())};
}

json as_json(const async_ring_state& r) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(r.events.data());
  return {{"ring", r.ring},
          {"asked", r.asked},
          {"bytes", r.bytes},
          {"head", r.head},
          {"events", json::binary({bytes, bytes + r.events.size() * sizeof(io_event)})}};
}

async_ring_state ring_from(const json& row) {
  async_ring_state r{row.at("ring"), row.at("asked"), row.at("bytes"), row.at("head"), {}};
  const json::binary_t& events = row.at("events").get_binary();
  const std::uint64_t room = r.bytes / sizeof(io_event);
  const bool is_place = r.ring % 4096 == 0 && r.bytes % 4096 == 0 && r.ring >= lower::window_begin &&
                        r.ring < lower::window_end && r.bytes <= lower::window_end - r.ring;
  if (!is_place || r.head >= room || events.size() % sizeof(io_event) != 0 || events.size() / sizeof(io_event) >= room)
    throw std::runtime_error("a ring of asynchronous I/O has no such place or size");
  r.events.resize(events.size() / sizeof(io_event));
  std::memcpy(r.events.data(), events.data(), events.size());
  return r;
}

json as_json(const kept_notice& n) {
  return {{"fd", n.fd}, {"kind", n.kind}, {"signal", n.signal}, {"value", n.value}, {"messages", n.messages}};
}

kept_notice notice_from(const json& row) {
  return {row.at("fd"), row.at("kind"), row.at("signal"), row.at("value"), row.at("messages")};
}

words pairs_from(const json& list) {
  words pairs = list;
  if (pairs.size() % 2 != 0 || !std::ranges::is_sorted(pairs))
    throw std::runtime_error("memory without a reservation is not in order");
  return pairs;
}

}  // namespace

/// Names come from the program, in any bytes: CBOR does not check them.
std::vector<std::uint8_t> encode(const section& s) {
  json threads = json::object(), intervals = json::array(), timers = json::array(),
       mappings = json::array(), rings = json::array(), notices = json::array();
  for (const auto& [index, record] : s.threads) threads[std::to_string(index)] = as_json(record);
  for (const itimerval& t : s.intervals) intervals.push_back(as_json(t));
  for (const posix_timer& t : s.timers) timers.push_back(as_json(t));
  for (const mapping_state& m : s.mappings) mappings.push_back(as_json(m));
  for (const async_ring_state& r : s.async_rings) rings.push_back(as_json(r));
  for (const kept_notice& n : s.notices) notices.push_back(as_json(n));
  json document{{"pid", s.pid},
                {"process", s.process},
                {"limits", s.limits},
                {"threads", threads},
                {"pending", as_json(s.pending)},
                {"intervals", intervals},
                {"timers", timers},
                {"mappings", mappings},
                {"async_rings", rings},
                {"notices", notices},
                {"locks_all", s.locks_all},
                {"processors", s.processors},
                {"stack_limit", s.stack_limit}};
  if (s.unreserved) document["unreserved"] = *s.unreserved;
  return json::to_cbor(document);
}

section decode(std::span<const std::uint8_t> bytes) {
  const json document = files::read_document(bytes);
  section s;
  s.pid = document.at("pid");
  s.process = document.at("process");
  s.limits = document.at("limits");
  for (const auto& [index, row] : document.at("threads").items())
    s.threads.emplace(static_cast<std::uint32_t>(std::stoul(index)), thread_from(row));
  s.pending = queue_from(document.at("pending"));
  for (std::size_t i = 0; i < s.intervals.size(); ++i) s.intervals[i] = interval_from(document.at("intervals").at(i));
  for (const json& row : document.at("timers")) s.timers.push_back(timer_from(row));
  for (const json& row : document.at("mappings")) s.mappings.push_back(mapping_from(row));
  for (const json& row : document.value("async_rings", json::array())) s.async_rings.push_back(ring_from(row));
  for (const json& row : document.value("notices", json::array())) s.notices.push_back(notice_from(row));
  s.locks_all = document.at("locks_all");
  s.processors = document.value("processors", std::uint64_t{0});
  if (document.contains("unreserved")) s.unreserved = pairs_from(document.at("unreserved"));
  s.stack_limit = document.value("stack_limit", std::uint64_t{0});
  return s;
}

}  // namespace mana::process_state
