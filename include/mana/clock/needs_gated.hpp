// The policy needs, with gates. A collective that nobody had started at the request starts only if a rank that is
// behind depends on it, and when all members have reached it. So the wait for a checkpoint ends when the work that had
// begun at the request ends. The program's computation before its next collective does not prolong the wait.
//
// The policy needs.hpp lets a rank in debt start any collective, and then all members must come. If a rank that is
// behind waits for anyone's message, all ranks are in debt, and many start collectives that nobody needs. Here the
// gates hold them until the message has come.
//
// Natively some members do not wait for all others, for example a broadcast's root. Such a member does not wait at the
// gate if somebody depends on it.
#pragma once
#include <mana/clock/gates.hpp>

namespace mana::clock {

struct needs_gated : gated<needs_gated> {
  static constexpr std::string_view name = "needs_gated";

  static std::vector<group_name> opened(const gated_state& heard) {
    const std::vector<bool> needed = needed_ranks(heard);
    std::vector<group_name> names;
    for (const auto& [name, g] : heard.gates) {
      bool by_one_that_came = false, by_one_that_may_leave = false;
      g.for_each(gate::has_come, [&](int r) { by_one_that_came |= needed[static_cast<std::size_t>(r)]; });
      g.for_each(gate::may_leave, [&](int r) { by_one_that_may_leave |= needed[static_cast<std::size_t>(r)]; });
      if (by_one_that_may_leave || (by_one_that_came && g.is_complete())) names.push_back(name);
    }
    return names;
  }

 private:
  /// The ranks that are behind, and all ranks on which these wait, along chains.
  static std::vector<bool> needed_ranks(const gated_state& heard) {
    std::vector<bool> needed(static_cast<std::size_t>(heard.ranks), false);
    std::vector<int> next;
    const auto reach = [&](int rank) {
      if (needed[static_cast<std::size_t>(rank)]) return;
      needed[static_cast<std::size_t>(rank)] = true;
      next.push_back(rank);
    };
    for (int r = 0; r < heard.ranks; ++r)
      if (heard.started.is_behind(r)) reach(r);
    while (!next.empty()) {
      const int from = next.back();
      next.pop_back();
      heard.for_each_peer(from, reach);
    }
    return needed;
  }
};

}  // namespace mana::clock
