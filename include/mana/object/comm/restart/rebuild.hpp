// From the image's descriptors to live MPI objects in a new lower half: groups first (they are plain data), then
// communicators in an order that all ranks derive without talking, with the lanes of their persistent
// collectives, datatypes, operations, pending receives.
#pragma once
#include <mana/checkpoint/drain/run.hpp>
#include <mana/object/comm/restart/freed_comms.hpp>
#include <mana/object/comm/restart/lanes.hpp>
#include <mana/vid/in_order.hpp>
#include <mana/object/comm/calls/comm.hpp>
#include <mana/object/datatype/calls/build.hpp>
#include <mana/object/op/calls.hpp>
#include <mana/object/request/form/message/point_to_point.hpp>
#include <mana/object/request/form/partitioned/partitioned.hpp>
#include <mana/object/tool/life.hpp>

namespace mana::restart {

using wrap::address_of;

/// Orders of communicators: by all their members (ggid, check), then by lineage among the same members. It is a total
/// order that every member sees alike, so building in it cannot deadlock: the least communicator that is not built yet is
/// the next one at each of its members.
inline bool built_before(const vid::entry<kind::comm>& a, const vid::entry<kind::comm>& b) noexcept {
  const vid::group_clock &x = *a.what.everyone, &y = *b.what.everyone;
  if (x.ggid != y.ggid) return x.ggid < y.ggid;
  if (x.check != y.check) return x.check < y.check;
  return a.what.lineage < b.what.lineage;
}

/// A communicator with a topology, from one over the same ranks without. In the lower half. out: neutral error class
inline int build_topology(const vid::cart& c, std::uint64_t plain, std::uint64_t& made) noexcept {
  return lower::the_bridge().mpi->MPI_Cart_create(plain, c.ndims(), address_of(c.dims), address_of(c.periods), 0, &made);
}
inline int build_topology(const vid::graph& g, std::uint64_t plain, std::uint64_t& made) noexcept {
  return lower::the_bridge().mpi->MPI_Graph_create(plain, g.nodes(), address_of(g.index), address_of(g.edges), 0, &made);
}
inline int build_topology(const vid::neighbours& n, std::uint64_t plain, std::uint64_t& made) noexcept {
  return wrap::create_adjacent(n, plain, &made);
}

inline void build_comm(vid::entry<kind::comm>& e, int tag) noexcept {
  const lower::bridge& b = lower::the_bridge();
  const vid::rank_map& ranks = *e.what.ranks;
  std::uint64_t plain = 0;
  const vid::rank_map& peers = *e.what.peers;
  int rc = lower::cross([&] {
    return e.what.is_inter() ? b.service->intercomm_from_ranks(ranks.world_ranks, ranks.size, peers.world_ranks,
                                                               peers.size, tag, &plain)
                             : b.service->comm_from_ranks(ranks.world_ranks, ranks.size, tag, &plain); });
  e.real = plain;
  if (rc == neutral::success && e.what.topology != nullptr) {
    rc = lower::cross([&] {
      const auto build = [&](const auto& form) { return build_topology(form, plain, e.real); };
      const int made = std::visit(build, *e.what.topology);
      return made == neutral::success ? b.mpi->MPI_Comm_free(&plain) : made; });
  }
  if (rc != neutral::success)
    lower::cross([&] { b.service->fatal("a communicator could not be built again at restart"); });
}

inline void repost(wrap::request_entry& e) noexcept {
  const lower::bridge& b = lower::the_bridge();
  vid::descriptor<kind::request>& r = e.what;
  e.real = 0;
  if (r.cancelling) {             // no message came for it before the checkpoint, so the cancellation succeeds
    wrap::retire(e, wrap::cancelled_status);
    return;
  }
  const std::uint64_t type = real_of<kind::datatype>(r.names.datatype);
  const int rc = lower::cross([&] {
    return b.service->irecv(r.buffer, r.count, type, r.peer, r.tag, r.on->real, &e.real); });
  if (rc != neutral::success)
    lower::cross([&] { b.service->fatal("a pending receive could not be posted again at restart"); });
}

/// Posts pending receives again, in the order in which the application had posted them.
inline void repost_receives() noexcept {
  vid::for_each_in_order<kind::request>(
      [](const wrap::request_entry& e) {
        return e.what.state == vid::request_state::active && e.what.form == vid::request_form::recv; },
      [](const wrap::request_entry& a, const wrap::request_entry& b) { return a.what.posted < b.what.posted; }, repost);
}

/// Every real handle is of this lower half afterwards.
inline void rebuild_all() noexcept {
  const lower::bridge& b = lower::the_bridge();
  wrap::library().world.real = b.predefined_real[neutral::comm_world];
  wrap::library().self.real = b.predefined_real[neutral::comm_self];
  wrap::library().hidden.real = b.predefined_real[neutral::comm_hidden];
  if (wrap::library().partitioned.real != 0 && wrap::make_partitioned_comm() != neutral::success)
    lower::cross([&] { b.service->fatal("no communicator for partitioned messages at restart"); });
  share_freed();
  rebuild_lanes(wrap::library().world);
  rebuild_lanes(wrap::library().self);
  vid::for_each_in_order<kind::comm>([](const auto&) { return true; }, built_before, [](vid::entry<kind::comm>& e) {
    build_comm(e, static_cast<int>(e.what.lineage % 32768));
    if (e.what.lanes != nullptr) rebuild_lanes(e);     // ends e if it was only kept for lanes that nobody uses
    else if (e.references == 0) end_shared(e);
  });
  wrap::rebuild_datatypes();
  wrap::rebuild_ops();
  wrap::rebuild_tools();
  repost_receives();
}

}  // namespace mana::restart
