// What ranks and the coordinator of a quiesce tell each other. Any transport that keeps the order per pair will do.
#pragma once
#include <compare>
#include <cstdint>
#include <variant>
#include <vector>

namespace mana::clock {

/// Name of a clock: the same on all members, different for different clocks.
struct group_name {
  std::uint64_t ggid, check;
  auto operator<=>(const group_name&) const = default;
};

struct group_count {
  group_name name{};
  std::uint64_t count = 0;      // collectives started on it
  std::vector<int> members;     // world ranks, ascending; empty where the receiver knows them
};

// Up, from a rank to the coordinator.
struct snapshot { std::vector<group_count> counts; };   // answers `pending`
struct raise { group_count target; };                   // sent before the rank enters a collective: its count with it
struct need { std::vector<int> peers; };                // world ranks on whose action this rank waits; empty: anyone's
struct need_end {};
struct report { std::uint64_t version = 0; };           // no debt at this version
using upward = std::variant<snapshot, raise, need, need_end, report>;

// Down, from the coordinator to a rank.
struct pending {};
struct state {
  std::uint64_t version = 0;
  std::vector<group_count> targets;   // changed targets of clocks that this rank is a member of
  std::vector<int> needed_by;         // all ranks that need this one
};
struct line {};                       // the recovery line is declared
struct given_up {};
using downward = std::variant<pending, state, line, given_up>;

/// May the collective start?
enum class verdict { go, hold };

}  // namespace mana::clock
