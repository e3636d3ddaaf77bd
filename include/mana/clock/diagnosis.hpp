// What keeps a rank from the recovery line, for people to read.
#pragma once
#include <mana/clock/message.hpp>

namespace mana::clock {

struct diagnosis {
  struct behind {
    group_name name{};
    std::uint64_t count = 0, target = 0;   // collectives this rank has started, collectives another one has started
  };
  std::vector<behind> groups;
  std::vector<int> needed_by;              // ranks that wait for a message by this one
  bool waits = false;                      // a thread of this rank waits for messages
  std::vector<int> waits_for;              // of these ranks, ascending; empty: of anyone
};

}  // namespace mana::clock
