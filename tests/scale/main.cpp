// mana-clock-scale: its options are in options.cpp, what it simulates in docs/clock_scale.md.
#include "options.hpp"

#include <mana/clock/policies.hpp>

#include <cstdio>
#include <stdexcept>

using namespace clock_scale;

namespace {

constexpr int exit_bad_option = 64;

double microseconds(nanoseconds t) { return static_cast<double>(t) / 1e3; }
double milliseconds(nanoseconds t) { return static_cast<double>(t) / 1e6; }

void print_json(const options& o, const network_options& n, const result& r) {
  const double ranks = o.what.ranks;
  std::printf("{\"policy\": \"%s\", \"ranks\": %d, \"pattern\": \"%s\", \"network\": \"%s\", ",
              o.policy.c_str(), o.what.ranks, std::string(o.what.program->name).c_str(), o.network.c_str());
  std::printf("\"fan_out\": %d, \"link_us\": %g, \"handling_us\": %g, \"jitter_us\": %g, \"pace_us\": %g, ", n.fan_out,
              microseconds(n.link), microseconds(n.handling), microseconds(n.jitter), microseconds(n.pace));
  std::printf("\"seed\": %lu, \"line\": %s, \"rounds\": %u, \"busiest_in_a_round\": %u, \"busiest_process\": %zu, ",
              o.what.seed, r.failure.empty() ? "true" : "false", r.rounds, r.busiest.in_a_round, r.busiest.process);
  std::printf("\"busiest_round\": %zu, \"busiest\": %u, \"messages_per_rank\": %.3f, \"bytes_per_rank\": %.1f, ",
              r.busiest.round, r.busiest.in_all, static_cast<double>(r.messages) / ranks,
              static_cast<double>(r.bytes) / ranks);
  std::printf("\"known_ms\": %.6f, \"declared_ms\": %.6f, \"heard_ms\": %.6f, \"native_ms\": %.6f, ",
              milliseconds(r.known - r.request), milliseconds(r.declared - r.request),
              milliseconds(r.everywhere - r.request), milliseconds(r.native - r.request));
  std::printf("\"beyond_ms\": %.6f, \"farthest\": %u, \"held\": %lu, \"memory_mean\": %.1f, \"memory_most\": %zu, ",
              milliseconds(r.beyond()), r.farthest, r.held, r.memory_mean, r.memory_most);
  std::printf("\"wall_s\": %.2f}\n", r.wall_seconds);
}

void print(const options& o, const network_options& n, const result& r) {
  const double ranks = o.what.ranks;
  std::printf("%d ranks, %s, %s, fan-out %d, links of %g us, seed %lu\n", o.what.ranks,
              std::string(o.what.program->what).c_str(), o.policy.c_str(), n.fan_out,
              microseconds(n.link), o.what.seed);
  std::printf("  from the request, ms   heard by all %.3f, line declared %.3f, known to all %.3f\n",
              milliseconds(r.everywhere - r.request), milliseconds(r.declared - r.request),
              milliseconds(r.known - r.request));
  if (o.what.twin)
    std::printf("  the application's own  %.3f ms; beyond it %.3f ms\n", milliseconds(r.native - r.request),
                milliseconds(r.beyond()));
  std::printf("  rounds                 %u; collectives started by a rank, at most %u; held %lu times\n", r.rounds,
              r.farthest, r.held);
  std::printf("  messages               %.2f sent per rank, %.1f bytes; the busiest node: %u, %u in one round\n",
              static_cast<double>(r.messages) / ranks, static_cast<double>(r.bytes) / ranks, r.busiest.in_all,
              r.busiest.in_a_round);
  std::printf("  memory per process     %.0f bytes, at most %zu\n", r.memory_mean, r.memory_most);
  std::printf("  simulated in           %.1f s\n", r.wall_seconds);
}

template <mana::clock::policy P>
int run(const options& o) {
  if (mana::clock::always_asks<P>) throw std::invalid_argument("a policy that always asks has a barrier of its own");
  if (!mana::clock::combines<P> && o.network != "star")
    throw std::invalid_argument("this policy does not combine: --network star");
  int status = 0;
  const std::vector<result> all = simulate<P>(o.what, o.networks);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (o.json) print_json(o, o.networks[i], all[i]);
    else print(o, o.networks[i], all[i]);
    if (all[i].failure.empty()) continue;
    std::fprintf(stderr, "mana-clock-scale: %.2000s\n", all[i].failure.c_str());
    status = 1;
  }
  return status;
}

}  // namespace

int main(int count, char** words) {
  try {
    const options o = read_options(count, words);
    int status = -1;
    if (!mana::clock::with_policy(o.policy, [&]<class P>() { status = run<P>(o); }))
      throw std::invalid_argument("unknown policy " + o.policy);
    return status;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "mana-clock-scale: %s\n%s", error.what(), usage);
    return exit_bad_option;
  }
}
