// The policies that `mana run --clock NAME` knows. To add one, include its header and add its name here. To add one
// from outside of the tree: cmake -DMANA_NEW_CLOCK=name -DMANA_NEW_CLOCK_HEADER=/path/of.hpp, see examples/new_clock.
#pragma once
#include <mana/clock/collective_clock.hpp>
#include <mana/clock/hybrid_two_phase.hpp>
#include <mana/clock/needs.hpp>
#include <mana/clock/needs_gated.hpp>
#include <mana/clock/two_phase_commit.hpp>

#ifdef MANA_NEW_CLOCK
#include MANA_NEW_CLOCK_HEADER
#endif

#include <tuple>

namespace mana::clock {

// The first is the default.
using policies = std::tuple<needs, needs_gated, collective_clock, hybrid_two_phase, two_phase_commit
#ifdef MANA_NEW_CLOCK
                            ,
                            MANA_NEW_CLOCK
#endif
                            >;

static_assert([]<class... P>(std::tuple<P...>*) { return (policy<P> && ...); }(static_cast<policies*>(nullptr)));

/// Calls use.operator()<P>() for the policy of this name; an empty name is the default.      out: false: no such policy
template <class Use>
bool with_policy(std::string_view name, Use&& use) {
  const auto try_it = [&]<class P>() {
    if (name != P::name) return false;
    use.template operator()<P>();
    return true;
  };
  return [&]<class First, class... P>(std::tuple<First, P...>*) {
    if (name.empty()) name = First::name;
    return try_it.template operator()<First>() || (try_it.template operator()<P>() || ...);
  }(static_cast<policies*>(nullptr));
}

/// All names, the default first.
inline std::vector<std::string_view> policy_names() {
  return []<class... P>(std::tuple<P...>*) {
    return std::vector<std::string_view>{P::name...};
  }(static_cast<policies*>(nullptr));
}

}  // namespace mana::clock
