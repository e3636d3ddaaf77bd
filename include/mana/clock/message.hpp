// Names and counts of clocks in the messages between ranks and the coordinator, for all policies.
#pragma once
#include <mana/clock/ranks.hpp>

#include <compare>
#include <cstdint>
#include <tuple>
#include <vector>

namespace mana::clock {

/// Name of a clock: the same on all members, different for different clocks.
struct group_name {
  std::uint64_t ggid, check;
  auto operator<=>(const group_name&) const = default;
};

struct group_count {
  group_name name{};
  std::uint64_t count = 0;  // collectives started on the clock
  rank_set members;         // empty if the receiver knows them

  static constexpr std::tuple fields{&group_count::name, &group_count::count, &group_count::members};
  bool operator==(const group_count&) const = default;
};

/// Whether a collective may start. synchronize: after a trivial barrier of its members. refuse: never, under this
/// policy.
enum class verdict { go, hold, synchronize, refuse };

}  // namespace mana::clock
