// The section "process" from bytes that are not as they were written.
#include <doctest/doctest.h>

#include <runtime/process_state/section.hpp>

#include <nlohmann/json.hpp>

#include <functional>
#include <string>

namespace process_state_section_tests {

using namespace mana::process_state;
using nlohmann::json;

namespace {

section whole_section() {
  section s;
  s.pid = 7;
  s.locks_all = 1;
  s.stack_limit = 8 << 20;
  s.unreserved = words{4096, 8192};
  s.notices.push_back({3, 0, 10, 77, 0});
  s.process["umask"] = {1};
  s.limits["files"] = {1, 2};
  thread_record thread;
  thread.tid = 8;
  thread.name[0] = 'a';
  thread.attributes["nice"] = {3};
  thread.pending.push_back(siginfo_t{});
  s.threads = {{0, thread}, {1, thread}};
  s.pending.push_back(siginfo_t{});
  s.timers.push_back(posix_timer{});
  s.mappings.push_back(mapping_state{});
  s.async_rings.push_back({0x3000'0000'0000, 8, 4096, 126, {io_event{}, io_event{}}});
  return s;
}

bool is_refused(const std::vector<std::uint8_t>& bytes) {
  try {
    decode(bytes);
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

void for_each_member(const json& whole, const json::json_pointer& at, const std::function<void(const json::json_pointer&)>& go) {
  for (const auto& [key, value] : whole.at(at).items()) {
    go(at / key);
    if (value.is_object()) for_each_member(whole, at / key, go);
  }
}

}  // namespace

TEST_CASE("a section \"process\" is read as it was written") {
  const auto bytes = encode(whole_section());
  CHECK(encode(decode(bytes)) == bytes);
}

TEST_CASE("a section \"process\" that is cut off is refused") {
  const auto bytes = encode(whole_section());
  for (auto end = bytes.begin(); end != bytes.end(); ++end) CHECK(is_refused({bytes.begin(), end}));
}

TEST_CASE("a section \"process\" whose members have another type is refused") {
  const json whole = json::from_cbor(encode(whole_section()));
  int cases = 0;
  for_each_member(whole, json::json_pointer(), [&](const json::json_pointer& member) {
    json other = whole;
    other.at(member) = other.at(member).is_string() ? json(true) : json("text");
    CHECK_MESSAGE(is_refused(json::to_cbor(other)), member.to_string());
    ++cases;
  });
  CHECK(cases > 20);
}

TEST_CASE("memory without a reservation is in order, and unknown in earlier images") {
  json whole = json::from_cbor(encode(whole_section()));
  for (const words& wrong : {words{4096}, words{8192, 4096}, words{4096, 8192, 4096, 8192}}) {
    whole["unreserved"] = wrong;
    CHECK(is_refused(json::to_cbor(whole)));
  }
  whole.erase("unreserved");
  CHECK_FALSE(decode(json::to_cbor(whole)).unreserved);
}

TEST_CASE("a waiting signal has the kernel's size") {
  json whole = json::from_cbor(encode(whole_section()));
  for (const std::size_t bytes : {std::size_t{0}, sizeof(siginfo_t) - 1, sizeof(siginfo_t) + 1}) {
    whole["pending"] = json::array({json::binary(std::vector<std::uint8_t>(bytes))});
    CHECK(is_refused(json::to_cbor(whole)));
  }
  whole["pending"] = json::binary({});
  CHECK(is_refused(json::to_cbor(whole)));
}

TEST_CASE("a ring of asynchronous I/O lies where the program's memory may, and has as many events as it has room for") {
  const json whole = json::from_cbor(encode(whole_section()));
  for (const auto& wrong : {std::pair{"ring", 0x1000ul}, {"ring", 0x3000'0000'0001ul}, {"bytes", 0ul}, {"bytes", 4097ul},
                           {"bytes", 1ul << 62}, {"head", 128ul}}) {
    json other = whole;
    other["async_rings"][0][wrong.first] = wrong.second;
    CHECK_MESSAGE(is_refused(json::to_cbor(other)), wrong.first);
  }
  json other = whole;
  for (const std::size_t bytes : {std::size_t{31}, std::size_t{128 * 32}}) {
    other["async_rings"][0]["events"] = json::binary(std::vector<std::uint8_t>(bytes));
    CHECK(is_refused(json::to_cbor(other)));
  }
  other.erase("async_rings");
  CHECK(decode(json::to_cbor(other)).async_rings.empty());
}

TEST_CASE("flipped bits of a section \"process\" are read or refused") {
  const auto bytes = encode(whole_section());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    is_refused(flipped);
  }
}

}  // namespace process_state_section_tests
