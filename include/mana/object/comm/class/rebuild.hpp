// From communicators' descriptors to live ones in a new lower half.
#pragma once
#include <mana/lower/cross.hpp>
#include <mana/object/comm/class/freed_comms.hpp>
#include <mana/object/comm/class/lanes.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/comm/topology_math.hpp>
#include <mana/object/request/form/partitioned/partitioned.hpp>
#include <mana/vid/in_order.hpp>

#include <mana/gen/lower_slots.hpp>

namespace mana::object {


/// Orders communicators by all their members (ggid, check), then by lineage among the same members. All members see the
/// same total order, so building in this order cannot deadlock. At each of its members, the least communicator that is
/// not built yet is the next one.
inline bool built_before(const vid::entry<kind::comm>& a, const vid::entry<kind::comm>& b) noexcept {
  const vid::group_clock &x = *a.what.everyone, &y = *b.what.everyone;
  if (x.ggid != y.ggid) return x.ggid < y.ggid;
  if (x.check != y.check) return x.check < y.check;
  return a.what.lineage < b.what.lineage;
}

/// Makes a communicator with a topology from a plain one over the same ranks. Runs in the lower half. out: neutral
/// error class
inline int build_topology(const cart& c, real<kind::comm> plain, real<kind::comm>& made) noexcept {
  return lower::the_bridge().mpi->MPI_Cart_create(plain, c.ndims(), address_of(c.dims), address_of(c.periods), 0, &made);
}
inline int build_topology(const graph& g, real<kind::comm> plain, real<kind::comm>& made) noexcept {
  return lower::the_bridge().mpi->MPI_Graph_create(plain, g.nodes(), address_of(g.index), address_of(g.edges), 0, &made);
}
inline int build_topology(const neighbours& n, real<kind::comm> plain, real<kind::comm>& made) noexcept {
  return create_adjacent(n, plain, &made);
}

inline void build_comm(vid::entry<kind::comm>& e) noexcept {
  const int tag = static_cast<int>(e.what.lineage % 32768);
  const lower::bridge& b = lower::the_bridge();
  const vid::rank_map& ranks = *e.what.ranks;
  real<kind::comm> plain{};
  const vid::rank_map& peers = *e.what.peers;
  int rc = lower::cross([&] {
    return e.what.is_inter() ? b.service->intercomm_from_ranks(ranks.world_ranks, ranks.size, peers.world_ranks,
                                                               peers.size, tag, &plain)
                             : b.service->comm_from_ranks(ranks.world_ranks, ranks.size, tag, &plain); });
  e.real = plain;
  // Nobody can start a collective on what some members have freed, and only neighbours' collectives need the topology
  // below.
  if (rc == neutral::success && e.what.topology != nullptr && !e.what.is_freed_apart) {
    rc = lower::cross([&] {
      const auto build = [&](const auto& form) { return build_topology(form, plain, e.real); };
      const int made = std::visit(build, *e.what.topology);
      return made == neutral::success ? b.mpi->MPI_Comm_free(&plain) : made; });
  }
  if (rc != neutral::success)
    lower::cross([&] { b.service->fatal("a communicator could not be built again at restart"); });
}

/// Groups are plain data and need no rebuilding. Communicators are built in an order that all ranks derive without
/// communication, each with the lanes of its persistent collectives.
inline void rebuild_comms() noexcept {
  const lower::bridge& b = lower::the_bridge();
  comm_state& all = comms();
  all.world.real = lower::predefined(neutral::comm_world);
  all.self.real = lower::predefined(neutral::comm_self);
  all.hidden.real = lower::predefined(neutral::comm_hidden);
  if (all.partitioned.real && make_partitioned_comm() != neutral::success)
    lower::cross([&] { b.service->fatal("no communicator for partitioned messages at restart"); });
  share_freed();
  rebuild_lanes(all.world);
  rebuild_lanes(all.self);
  const auto has_live = [](const vid::entry<kind::comm>& e) { return !e.what.has_no_live; };
  vid::for_each_in_order<kind::comm>(has_live, built_before, [](vid::entry<kind::comm>& e) {
    build_comm(e);
    if (e.what.lanes != nullptr) rebuild_lanes(e);     // ends e if it was kept only for lanes that nobody uses
    else if (e.references == 0) end_shared(e);
  });
}

}  // namespace mana::object
