// Attributes that the program changed, and those that are the job's; limits of another machine; the section's form.
#include <doctest/doctest.h>

#include <runtime/process_state/process_attributes.hpp>
#include <runtime/process_state/process_state.hpp>
#include <runtime/process_state/section.hpp>
#include <runtime/process_state/thread_attributes.hpp>

#include <nlohmann/json.hpp>

#include <cstring>
#include <stdexcept>

namespace process_state_attributes_tests {

using namespace mana::process_state;

namespace {

words kept{1};
bool allowed = true;
int writes = 0;

constexpr attribute table[] = {{"kept", "what is kept", [] { return kept; },
                                [](const words& value) {
                                  ++writes;
                                  if (allowed) kept = value;
                                  return allowed;
                                }},
                               {"absent", "what this kernel has not", [] { return words{}; },
                                [](const words&) { return false; }}};

constexpr rlim_t unlimited = RLIM_INFINITY;

}  // namespace

TEST_CASE("what the program has not changed is not saved") {
  const attribute_values given{{"a", {1}}, {"b", {2, 3}}}, now{{"a", {1}}, {"b", {2, 4}}, {"new", {5}}};
  CHECK(changed(now, given, {}) == attribute_values{{"b", {2, 4}}, {"new", {5}}});
  CHECK(changed(now, given, {"a"}) == now);
  CHECK(changed(given, given, {"gone"}).empty());
}

TEST_CASE("attributes are set where they differ, and what cannot be is named") {
  kept = {1};
  writes = 0;
  CHECK(read_all(table) == attribute_values{{"kept", {1}}});
  CHECK(write_all(table, {{"kept", {1}}}).empty());
  CHECK(writes == 0);
  CHECK(write_all(table, {{"kept", {7}}, {"unknown", {1}}}).empty());
  CHECK(kept == words{7});
  allowed = false;
  CHECK(write_all(table, {{"kept", {8}}}) == std::vector<std::string>{"what is kept"});
  CHECK(write_all(table, {{"absent", {8}}}) == std::vector<std::string>{"what this kernel has not"});
  allowed = true;
}

TEST_CASE("every attribute of this thread and process can be set to what it is") {
  for (const auto list : {thread_attributes(), process_attributes()})
    for (const attribute& a : list) {
      const words value = a.read();
      CAPTURE(a.name);
      // Groups, secure bits and a login id that is set are for the privileged; dumpable may be the system's choice.
      const std::string name = a.name;
      const bool is_refused = name == "groups" || name == "secure_bits" || name == "login" || name == "dumpable";
      if (value.empty() || is_refused) continue;
      CHECK(a.write(value));
      CHECK(a.read() == value);
    }
}

TEST_CASE("fewer processors than at the checkpoint are said, and no others") {
  CHECK(fewer_processors(0, 4).empty());
  CHECK(fewer_processors(4, 4).empty());
  CHECK(fewer_processors(2, 4).empty());
  CHECK(fewer_processors(4, 1) ==
        std::vector<std::string>{"it may run on 1 processor here; at the checkpoint it was 4; the machine and the "
                                 "launcher decide this"});
  CHECK(usable_processors() >= 1);
}

TEST_CASE("a saved limit on a machine with another hard limit") {
  const auto fitted = [](rlimit saved, rlimit here, bool may_raise) {
    const rlimit r = fitted_limit(saved, here, may_raise);
    return std::pair{r.rlim_cur, r.rlim_max};
  };
  CHECK(fitted({10, 100}, {50, 100}, false) == std::pair<rlim_t, rlim_t>{10, 100});
  CHECK(fitted({10, 100}, {5, 20}, false) == std::pair<rlim_t, rlim_t>{10, 20});
  CHECK(fitted({90, 100}, {5, 20}, false) == std::pair<rlim_t, rlim_t>{20, 20});
  CHECK(fitted({90, 100}, {5, 20}, true) == std::pair<rlim_t, rlim_t>{90, 100});
  CHECK(fitted({unlimited, unlimited}, {5, 20}, false) == std::pair<rlim_t, rlim_t>{20, 20});
  CHECK(fitted({10, 20}, {unlimited, unlimited}, false) == std::pair<rlim_t, rlim_t>{10, 20});
}

TEST_CASE("the section's bytes give the same section") {
  section s;
  s.pid = 17;
  s.process = {{"dumpable", {0}}};
  s.limits = {{"core", {0, unlimited}}};
  thread_record& thread = s.threads[4095];
  thread.tid = 18;
  std::memcpy(thread.name.data(), "\xff\xfe n\xc3\xa4me 89abcd", 15);       // the program's bytes
  thread.attributes = {{"affinity", {1, ~std::uint64_t{0}}}};
  siginfo_t info{};
  info.si_signo = 64;
  info.si_code = SI_QUEUE;
  info.si_value.sival_int = -5;
  thread.pending = s.pending = {info, info};
  s.intervals[1] = {{1, 2}, {3, 4}};
  s.timers = {{5, -6, SIGEV_THREAD_ID, 40, 0xffff'ffff'ffff'ffff, 18, {{1, 2}, {3, 4}}, 9}};
  s.mappings = {{0x1000, 0x2000, {12, 14}, locked_on_fault, true, {2, 1}}};
  s.locks_all = 3;
  s.stack_limit = 8 << 20;
  const section t = decode(encode(s));
  CHECK(t.pid == 17);
  CHECK(t.process == s.process);
  CHECK(t.limits == s.limits);
  CHECK(t.threads.at(4095).tid == 18);
  CHECK(t.threads.at(4095).name == thread.name);
  CHECK(t.threads.at(4095).attributes == thread.attributes);
  CHECK(t.threads.at(4095).pending.size() == 2);
  CHECK(std::memcmp(t.pending.data(), s.pending.data(), 2 * sizeof info) == 0);
  CHECK(t.intervals[1].it_value.tv_usec == 4);
  CHECK(t.intervals[1].it_interval.tv_sec == 1);
  CHECK(t.timers[0].value == 0xffff'ffff'ffff'ffff);
  CHECK(t.timers[0].clock == -6);
  CHECK(t.timers[0].time.it_value.tv_nsec == 4);
  CHECK(t.timers[0].overrun == 9);
  CHECK(t.mappings[0].advice == std::vector<int>{12, 14});
  CHECK(t.mappings[0].policy == words{2, 1});
  CHECK(t.mappings[0].lock == locked_on_fault);
  CHECK(t.locks_all == 3);
  CHECK(t.stack_limit == 8 << 20);
}

TEST_CASE("bytes that are no section are refused") {
  std::vector<std::uint8_t> bytes = encode({});
  bytes.resize(bytes.size() / 2);
  CHECK_THROWS_AS(decode(bytes), std::exception);
  CHECK_THROWS_AS(decode(nlohmann::json::to_cbor(nlohmann::json{{"pid", 1}})), std::exception);
}

}  // namespace process_state_attributes_tests
