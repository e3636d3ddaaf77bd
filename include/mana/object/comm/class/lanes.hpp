// Lanes of persistent collectives at a restart. All lanes are made, even if this rank has no requests on them (INV-26).
// So a request that only some members have freed needs no special treatment.
#pragma once
#include <mana/object/comm/state.hpp>
#include <mana/object/request/form/collective/lanes.hpp>

namespace mana::object {

inline void duplicate_lanes(vid::entry<kind::comm>& comm) noexcept {
  const lower::bridge& b = lower::the_bridge();
  for (lane* l = comm.what.lanes->first; l != nullptr; l = l->next)
    if (lower::cross([&] { return b.mpi->MPI_Comm_dup(comm.real, &l->real); }) != neutral::success)
      lower::cross([&] { b.service->fatal("a communicator of persistent collectives could not be made at restart"); });
}

/// The program has freed this communicator. Its duplicates stay if they have requests. Ends the lanes if no member has
/// any request. Their memory stays until it may be freed.
inline void let_go(vid::entry<kind::comm>& comm) noexcept {
  lane_list& lanes = *comm.what.lanes;
  std::int64_t taken = lanes.taken;
  find_most(comm.real, 1, &taken);
  const bool has_others = comm.references > 1;
  if (!has_others) free_real(std::exchange(comm.real, {}));
  if (lanes.taken == 0) free_reals(lanes);
  if (taken > 0) return;
  lanes.next_ended = std::exchange(comms().ended_lanes, &lanes);
  lanes.topology = std::exchange(comm.what.topology, nullptr);
  comm.what.lanes = nullptr;
  --comm.references;
  if (has_others) return;
  lanes.messages = comm.what.messages;
  vid::table<kind::comm>().erase(comm);
}

/// Called right after the communicator itself was built. So at most one freed communicator exists at a time.
/// It cannot deadlock: all members of the communicator have the same steps here (INV-26).
inline void rebuild_lanes(vid::entry<kind::comm>& comm) noexcept {
  if (comm.what.lanes == nullptr) return;
  duplicate_lanes(comm);
  if (comm.what.lanes->is_kept) let_go(comm);
}

}  // namespace mana::object
