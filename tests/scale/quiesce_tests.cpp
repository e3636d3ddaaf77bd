// Quiesces of some thousand ranks: they come to a line, with equal counts, the same each time, at a bounded cost.
#include "quiesce.hpp"

#include <mana/clock/policies.hpp>

#include <doctest/doctest.h>

#include <array>

using namespace clock_scale;

namespace {

result run_once(const setting& s, network_options network, int fan_out) {
  network.fan_out = fan_out;
  network.seed = s.seed;
  const result r = simulate<mana::clock::needs>(s, {network}).front();
  CAPTURE(s.ranks);
  CAPTURE(s.program->name);
  CAPTURE(fan_out);
  CAPTURE(s.seed);
  CHECK(r.failure == "");
  return r;
}

constexpr nanoseconds us = 1000;

}  // namespace

TEST_CASE("places in the tree: each rank once, pieces that differ by one at most") {
  for (const int ranks : {1, 2, 3, 17, 18, 100, 1000})
    for (const int fan_out : {1, 2, 3, 16, 1000}) {
      const tree t(ranks, fan_out);
      int relays = 0;
      for (int p = 0; p < ranks; ++p) {
        const mana::clock::place at = mana::clock::place_of(p, ranks, fan_out);
        CHECK(t.at(p).parent == at.parent);
        const auto links = mana::clock::links_of(at.range, fan_out);
        CHECK(t.at(p).has_relay == (links.size() > 1));
        relays += t.at(p).has_relay;
        CHECK(links.back().end == at.range.end);
        for (std::size_t i = 2; i < links.size(); ++i) {
          CHECK(links[i].first == links[i - 1].end);
          CHECK(links[i - 1].size() - links[i].size() <= 1);
          CHECK(links[i - 1].size() >= links[i].size());
        }
      }
      if (fan_out >= ranks && ranks > 1) CHECK(relays == 1);
    }
}

TEST_CASE("all patterns come to a line with equal counts, over stars and trees") {
  for (const pattern& p : patterns())
    for (const int ranks : {2, 6, 64, 250, 1024})
      for (const int fan_out : {2, 3, 16, ranks})
        for (const std::uint64_t seed : {1u, 2u, 3u})
          run_once({.ranks = ranks, .program = &p, .seed = seed, .twin = false}, {.link = 10 * us}, fan_out);
}

TEST_CASE("the same with messages that take long by chance") {
  for (const pattern& p : patterns())
    for (const std::uint64_t seed : {4u, 5u, 6u, 7u})
      run_once({.ranks = 256, .program = &p, .seed = seed, .twin = false}, {.link = us, .jitter = 200 * us}, 3);
}

TEST_CASE("4096 ranks: the busiest node, and the time beyond the application's own") {
  for (const pattern& p : patterns())
    for (const nanoseconds link : {us, 50 * us}) {
      const bool is_chain = p.name == "chain";
      const result r = run_once({.ranks = 4096, .program = &p, .seed = 11}, {.link = link}, 16);
      if (!is_chain) CHECK(r.busiest.in_a_round < 64);
      CHECK(r.beyond() < 200'000 * us);
      CHECK(r.native >= r.request);
      CHECK(r.known >= r.native);
      CHECK(r.memory_mean < 4096);
    }
}

TEST_CASE("the same seed: the same result") {
  for (const pattern& p : patterns()) {
    const setting s{.ranks = 500, .program = &p, .seed = 5};
    const auto numbers = [&] {
      const result r = run_once(s, {.link = 10 * us, .jitter = 5 * us}, 4);
      return std::array<std::uint64_t, 8>{static_cast<std::uint64_t>(r.declared), static_cast<std::uint64_t>(r.known),
                                          static_cast<std::uint64_t>(r.native),   r.rounds,
                                          r.busiest.in_all,                       r.messages,
                                          r.bytes,                                r.held};
    };
    CHECK(numbers() == numbers());
  }
}

TEST_CASE("policies that do not combine: over a star") {
  for (const pattern& p : patterns()) {
    const setting s{.ranks = 64, .program = &p, .seed = 2, .twin = false};
    const std::vector<network_options> star{{.fan_out = 64}};
    CHECK(simulate<mana::clock::needs_gated>(s, star).front().failure == "");
    CHECK(simulate<mana::clock::hybrid_two_phase>(s, star).front().failure == "");
  }
}
