// The hybrid two-phase commit (after Chouhan, Xu and others, 2021): the trivial barrier only between a request and its
// checkpoint. Here it is a gate in the coordinator: no collective of the lower half, nothing that a restart has to
// undo. A rank that is held there can be stopped, so that a straggler that has not come holds no checkpoint up.
//
// What had begun at the request has to be completed by all members. While one that has yet to come computes, no gate
// opens. When all of them wait, the gate opens that was come to first, among those that are complete, or that hold one
// who would not wait natively, and on whom somebody waits. That is enough to go on: who waits for a rank at a gate is
// heard of, and along a chain of such waits the last is at a gate that opens, or the program stands still by itself.
// First come, first served: each gate has its turn, so a loop of collectives on the side does not go on for ever.
//
// It asks who is waited for, not by whom, and opens what nobody behind depends on. needs_gated.hpp follows the chains.
#pragma once
#include <mana/clock/gates.hpp>

namespace mana::clock {

struct hybrid_two_phase : gated<hybrid_two_phase> {
  static constexpr std::string_view name = "hybrid_two_phase";

  static std::vector<group_name> opened(const gated_state& heard) {
    const auto index = [](int rank) { return static_cast<std::size_t>(rank); };
    std::vector<bool> waits(index(heard.ranks)), matters(index(heard.ranks));
    for (int r = 0; r < heard.ranks; ++r) {
      waits[index(r)] = heard.waits.wait_of(r) != nullptr;
      heard.for_each_peer(r, [&](int peer) { matters[index(peer)] = true; });
    }
    for (const auto& [name, g] : heard.gates) g.for_each(gate::has_come, [&](int r) { waits[index(r)] = true; });
    for (int r = 0; r < heard.ranks; ++r) {
      if (!heard.started.is_behind(r)) continue;
      if (!waits[index(r)]) return {};
      matters[index(r)] = true;
    }
    const gate* first = nullptr;
    for (const auto& [name, g] : heard.gates) {
      if (first != nullptr && first->number() < g.number()) continue;
      bool opens = false;
      const auto look = [&](int r) { opens |= matters[index(r)]; };
      if (g.is_complete()) g.for_each(gate::has_come, look);
      else g.for_each(gate::may_leave, look);
      if (opens) first = &g;
    }
    if (first == nullptr) return {};
    return {first->next().name};
  }
};

}  // namespace mana::clock
