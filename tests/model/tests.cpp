// What the checker's own parts owe: the reduction leaves nothing out, schedules can be read, hashes tell states apart.
#include "schedule.hpp"
#include "sweep.hpp"

#include <mana/clock/policies.hpp>

#include <doctest/doctest.h>

using namespace clock_model;

namespace {

rules rules_with(const char* plan, bool reduce, int fan_out = 0, bool batches = false) {
  rules r;
  r.plan = plan;
  r.reduce = reduce;
  r.fan_out = fan_out;
  r.batches = batches;
  return r;
}

/// Verdict, all states at lines and all last ones are the same with and without reduction.
template <mana::clock::policy P>
int compare(const bounds& family, const char* plan, int programs, int fan_out = 0, bool batches = false) {
  int compared = 0;
  limits most;
  most.states = 200'000;
  most.keep_line_counts = most.keep_states = true;
  for_each_program(family, [&](const script& s) {
    if (!ends_natively(s)) return true;
    const rules full = rules_with(plan, false, fan_out, batches), reduced = rules_with(plan, true, fan_out, batches);
    const findings all = explorer<P>(s, full, most).depth_first();
    if (all.what == outcome::limit) return true;
    const findings some = explorer<P>(s, reduced, most).depth_first();
    INFO(describe(s));
    CHECK(all.what == some.what);
    CHECK(all.line_counts == some.line_counts);
    CHECK(all.line_states == some.line_states);
    CHECK_FALSE(some.line_states.empty());
    if (!is_violation(all.what)) CHECK(all.last_states == some.last_states);
    CHECK(all.most_beyond == some.most_beyond);
    CHECK(all.states >= some.states);
    return ++compared < programs;
  });
  return compared;
}

/// Text on text, or out of the picture. A letter is taken for 6 wide.
bool has_overlapping_text(const std::string& svg) {
  struct box {
    int left, right, top;
  };
  const auto value = [&](std::size_t from, const std::string& name) {
    const std::string key = " " + name + "=\"";
    return std::stoi(svg.substr(svg.find(key, from) + key.size()));
  };
  const int width = value(0, "width"), height = value(0, "height");
  std::vector<box> boxes;
  for (std::size_t at = svg.find("<text"); at != std::string::npos; at = svg.find("<text", at + 1)) {
    const std::size_t begin = svg.find('>', at) + 1, end = svg.find("</text>", at);
    const int length = 6 * static_cast<int>(end - begin);
    const bool is_centred = svg.substr(at, begin - at).find("middle") != std::string::npos;
    const int left = value(at, "x") - (is_centred ? length / 2 : 0);
    const box one{left, left + length, value(at, "y") - 10};
    if (one.left < 0 || one.right > width || one.top < 0 || one.top + 12 > height) return true;
    for (const box& b : boxes)
      if (one.left < b.right && b.left < one.right && std::abs(one.top - b.top) < 11) return true;
    boxes.push_back(one);
  }
  return boxes.empty();
}

}  // namespace

TEST_CASE("the reduction changes neither verdicts nor reachable lines") {
  CHECK(compare<mana::clock::needs>({2, 1, 4, 2, "sbey"}, "l", 60) > 10);
  CHECK(compare<mana::clock::needs>({3, 2, 5, 3, "sbe"}, "l", 20) == 20);
  CHECK(compare<mana::clock::needs>({3, 2, 5, 3, "sbe"}, "l", 20, 1) >= 10);
  CHECK(compare<mana::clock::needs>({2, 1, 4, 2, "sey"}, "al", 20, 1) >= 5);
  CHECK(compare<mana::clock::needs>({2, 1, 4, 2, "sey"}, "al", 20, 0, true) >= 5);
  CHECK(compare<mana::clock::collective_clock>({2, 1, 4, 2, "sey"}, "al", 60) > 5);
  CHECK(compare<mana::clock::collective_clock>({3, 2, 5, 3, "se"}, "l", 60) > 5);
}

TEST_CASE("the reduction keeps a deadlock") {
  for (const named_program& p : named_programs()) {
    if (p.name != "between") continue;
    for (const bool reduce : {true, false}) {
      const rules how = rules_with("l", reduce);
      const limits most;
      CHECK(explorer<mana::clock::collective_clock>(p.what, how, most).depth_first().what == outcome::deadlock);
    }
  }
}

TEST_CASE("a schedule tells what happens, and is drawn") {
  const script s{{{barrier(0), send(1)}, {recv(0), barrier(1)}, {barrier(1)}, {barrier(0)}}, {{0, 3}, {1, 2}}};
  const rules how = rules_with("l", true);
  const limits most;
  const std::vector<step> steps = explorer<mana::clock::collective_clock>(s, how, most).shortest();
  REQUIRE_FALSE(steps.empty());
  const story told = narrator<mana::clock::collective_clock>(s, how).tell(steps);
  CHECK(told.all.size() == steps.size());
  CHECK(to_text(told).find("rank 2 enters barrier(B)") != std::string::npos);
  CHECK(to_text(told).find("snapshot([A=0])") != std::string::npos);
  CHECK(told.stands[0] == "held before barrier(A)");
  CHECK(told.stands[1] == "in recv(0)");
  const std::string svg = to_svg(told, s, "deadlock");
  for (const char* row : {"coordinator", "rank 0", "rank 1", "rank 2", "rank 3"})
    CHECK(svg.find(">" + std::string(row) + "<") != std::string::npos);
  CHECK_FALSE(has_overlapping_text(svg));
  CHECK(svg.ends_with("</svg>\n"));
}

TEST_CASE("a schedule through relays is told and drawn") {
  const script s{{{barrier(0)}, {barrier(0)}, {barrier(0)}}, {{0, 1, 2}}};
  const rules how = rules_with("l", true, 1, true);
  world<mana::clock::needs> at(s, how);
  std::vector<step> steps, next;
  for (at.steps(next); !next.empty() && at.lines() == 0; at.steps(next)) {
    if (!at.take(next.back())) break;
    steps.push_back(next.back());
  }
  const story told = narrator<mana::clock::needs>(s, how).tell(steps);
  CHECK(told.relays == std::vector<std::string>{"relay 1"});
  CHECK(to_text(told).find("relay 1 gets of rank 2") != std::string::npos);
  CHECK(to_text(told).find("coordinator gets of relay 1") != std::string::npos);
  CHECK(to_text(told).find("relay 1 says what there is to say") != std::string::npos);
  const std::string svg = to_svg(told, s, "a line");
  CHECK(svg.find(">relay 1<") != std::string::npos);
  CHECK_FALSE(has_overlapping_text(svg));
}

TEST_CASE("a program that stands still without requests is none") {
  const script s{{{recv(1), send(1)}, {recv(0), send(0)}}, {}};
  CHECK_FALSE(ends_natively(s));
}

TEST_CASE("the smallest line follows messages") {
  const script s{{{barrier(0), send(1)}, {recv(0), barrier(1)}, {barrier(1)}, {barrier(0)}}, {{0, 3}, {1, 2}}};
  CHECK(smallest_line(s, {0, 0, 0, 0}) == cut{0, 0, 0, 0});
  CHECK(smallest_line(s, {0, 0, 1, 0}) == cut{2, 2, 1, 1});
  CHECK(distance_of(s, {0, 0, 1, 0}, {2, 2, 1, 1}).beyond() == 0);
}
