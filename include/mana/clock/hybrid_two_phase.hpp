// The hybrid two-phase commit (after Chouhan, Xu and others, 2021): the trivial barrier only between a request and its
// checkpoint. Here the barrier is a gate in the coordinator. It needs no collective of the lower half, and a restart
// need not undo it. A rank can be stopped at the gate, so a late straggler does not delay a checkpoint.
//
// All members must complete a collective that had begun at the request. While one of those who have not come computes,
// no gate opens. When all of them wait, one gate opens: the first that was reached, among the gates that may. A gate
// may open if one of its members is behind, or somebody waits for that member. Besides, the gate must be complete, or
// that member would not wait natively.
// This suffices: the coordinator hears of every wait for a rank at a gate. Along a chain of such waits, the last rank
// is at a gate that opens, or the program itself is deadlocked.
// Each gate has its turn, so an unrelated loop of collectives does not continue forever.
//
// The policy asks which ranks are waited for, not by which ranks. So it opens gates on which no rank that is behind
// depends. needs_gated.hpp follows the chains.
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
