// Lanes of persistent collectives at a restart: all of them, whoever has requests on them (INV-26). So a request that some
// members have freed, and some have yet to free, needs no care.
#pragma once
#include <mana/wrap/lanes.hpp>

namespace mana::restart {

inline void rebuild_lanes_of(vid::entry<kind::comm>& comm) noexcept {
  if (comm.what.lanes == nullptr) return;
  const lower::bridge& b = lower::the_bridge();
  for (vid::lane* l = comm.what.lanes->first; l != nullptr; l = l->next)
    if (lower::cross([&] { return b.mpi->MPI_Comm_dup(comm.real, &l->real); }) != neutral::success)
      lower::cross([&] { b.service->fatal("a communicator of persistent collectives could not be made at restart"); });
}

/// The program has freed this communicator: the duplicates go on alone, where there are requests on them. Ends it if no
/// member has any. Memory stays until it may be freed.
inline void let_go(vid::entry<kind::comm>& comm) noexcept {
  const lower::bridge& b = lower::the_bridge();
  vid::lane_list& lanes = *comm.what.lanes;
  const bool is_used = wrap::range_over_members(comm.real, lanes.taken).most > 0;
  std::uint64_t real = std::exchange(comm.real, 0);
  lower::cross([&] { return b.mpi->MPI_Comm_free(&real); });
  if (lanes.taken == 0) wrap::free_reals(lanes);
  if (is_used) return;
  lanes.topology = comm.what.topology;
  lanes.next_ended = std::exchange(wrap::library().ended_lanes, &lanes);
  vid::table<kind::comm>().erase(comm);
}

/// Communicators are there. next_to_build: (entry or nullptr) → the communicator after it, or nullptr.
/// It cannot deadlock: each step is collective over one communicator, and all of its members have the same steps (INV-26);
/// communicators come in an order that their members see alike (built_before), so the least that is not done is next
/// at each of its members.
template <class NextToBuild>
inline void rebuild_lanes(NextToBuild&& next_to_build) noexcept {
  rebuild_lanes_of(wrap::library().world);
  rebuild_lanes_of(wrap::library().self);
  vid::entry<kind::comm>* comm = next_to_build(nullptr);
  while (comm != nullptr) {
    vid::entry<kind::comm>* const next = next_to_build(comm);
    rebuild_lanes_of(*comm);
    if (comm->what.lanes != nullptr && comm->what.lanes->is_kept) let_go(*comm);
    comm = next;
  }
}

}  // namespace mana::restart
