// Lanes of persistent collectives (vid/lanes.hpp), from the first initialisation on a communicator to its end.
#pragma once
#include <mana/vid/ggid.hpp>
#include <mana/vid/lanes.hpp>
#include <mana/wrap/collective.hpp>
#include <mana/wrap/request_pool.hpp>

#include <mana/gen/lower_slots.hpp>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace mana::wrap {

/// Least and largest of the members' values. Collective over the communicator, in the lower half; the caller has seen to
/// it that all members come. Two rounds, as one on an intercommunicator gives the values of the other group only.
struct value_range {
  std::int64_t least, most;
};
inline value_range range_over_members(std::uint64_t real_comm, std::int64_t value) noexcept {
  const lower::bridge& b = lower::the_bridge();
  const std::int64_t own[2] = {-value, value};
  std::int64_t others[2] = {}, mine[2] = {};
  const int rc = lower::cross([&] {
    const std::uint64_t type = b.predefined_real[neutral::int64], op = b.predefined_real[neutral::max];
    const int first = b.mpi->MPI_Allreduce(own, others, 2, type, op, real_comm);
    return first != neutral::success ? first : b.mpi->MPI_Allreduce(others, mine, 2, type, op, real_comm); });
  if (rc != neutral::success)
    lower::cross([&] { b.service->fatal("members of a communicator could not agree on its persistent collectives"); });
  return {-std::max(mine[0], others[0]), std::max(mine[1], others[1])};
}

inline bool is_free(const vid::lane& l) noexcept { return !__atomic_load_n(&l.is_taken, __ATOMIC_ACQUIRE); }

/// The first lane, beginning with number `from`, that no request of this rank has. out: its number; none_free
inline constexpr std::int64_t none_free = std::numeric_limits<std::int64_t>::max();
inline std::int64_t next_free(const vid::lane_list& lanes, std::int64_t from) noexcept {
  std::int64_t number = 0;
  for (const vid::lane* l = lanes.first; l != nullptr; l = l->next, ++number)
    if (number >= from && is_free(*l)) return number;
  return none_free;
}

/// A lane that is free on all members, an old one or a new one. Collective over the communicator.
/// out: neutral error class; *found
inline int find_lane(vid::entry<kind::comm>& comm, vid::lane*& found) noexcept {
  vid::lane_list& lanes = *comm.what.lanes;
  for (std::int64_t number = 0;;) {
    const value_range next = range_over_members(comm.real, next_free(lanes, number));
    if (next.most == none_free) break;
    number = next.most;
    if (next.least != next.most) continue;              // it is in use on a member that has not freed its request yet
    found = lanes.first;
    while (number-- > 0) found = found->next;
    return neutral::success;
  }
  auto* const made = new (std::nothrow) vid::lane;
  if (made == nullptr) return neutral::err_no_mem;
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  if (const int rc = lower::cross([&] { return mpi.MPI_Comm_dup(comm.real, &made->real); }); rc != neutral::success) {
    delete made;
    return rc;
  }
  made->clock = vid::communicator_clock(*comm.what.everyone, vid::mix64(~comm.what.lineage + vid::mix64(lanes.count)));
  vid::lane** last = &lanes.first;
  while (*last != nullptr) last = &(*last)->next;
  *last = made;
  ++lanes.count;
  found = made;
  return neutral::success;
}

inline void take_lane(vid::collective_plan& plan, vid::lane_list& lanes, vid::lane& l) noexcept {
  plan.lanes = &lanes;
  plan.on = &l;
  l.is_taken = true;
  __atomic_fetch_add(&lanes.taken, 1, __ATOMIC_RELAXED);
}

/// Frees the real communicators. Of a list that was kept, each rank does it when it has no request on it any more: that
/// MPI_Comm_free does not wait for other members the standard expects, and every MPI does.
inline void free_reals(vid::lane_list& lanes) noexcept {
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  for (vid::lane* l = lanes.first; l != nullptr; l = l->next)
    if (std::uint64_t real = std::exchange(l->real, 0); real != 0) lower::cross([&] { return mpi.MPI_Comm_free(&real); });
}

/// Not at a restart: frees memory.
inline void destroy_lanes(vid::lane_list* lanes) noexcept {
  while (vid::lane* const l = lanes->first) {
    lanes->first = l->next;
    vid::retire(l->clock);
    delete l;
  }
  delete lanes->topology;
  delete lanes;
}

/// What a restart left. cost: one load where there is nothing
inline void destroy_ended_lanes() noexcept {
  if (library().ended_lanes == nullptr) return;
  vid::lane_list* all = __atomic_exchange_n(&library().ended_lanes, nullptr, __ATOMIC_ACQ_REL);
  while (all != nullptr) destroy_lanes(std::exchange(all, all->next_ended));
}

/// Starts what was initialised. May park.      out: neutral error class
inline int start_plan(wrapper_scope& scope, request_entry& e) noexcept {
  vid::collective_plan& plan = *e.what.plan;
  vid::group_clock& clock = *plan.on->clock;
  const auto how = [] { return waiting{.blocking = false, .waits_for_all = false}; };
  if (!start_collective(scope, clock, nullptr, how)) return neutral::err_unsupported_operation;
  const int rc = plan.start(plan.on->real, &e.real);
  if (rc != neutral::success) uncount_collective(clock);
  else e.what.state = vid::request_state::active;
  return rc;
}

/// MPI_Request_free of an inactive one.
inline void free_plan(request_entry& e) noexcept {
  vid::collective_plan* const plan = e.what.plan;
  vid::lane_list& lanes = *plan->lanes;
  __atomic_store_n(&plan->on->is_taken, false, __ATOMIC_RELEASE);
  delete plan;
  free_request(e);
  if (__atomic_sub_fetch(&lanes.taken, 1, __ATOMIC_ACQ_REL) == 0 && lanes.is_kept) free_reals(lanes);
}

/// The program frees a communicator. Ends its lanes, unless members have requests on them.
/// Collective over the communicator.      out: whether they go on; the same on all members
inline bool end_lanes(vid::entry<kind::comm>& comm) noexcept {
  vid::lane_list* const lanes = comm.what.lanes;
  if (lanes == nullptr) return false;
  if (range_over_members(comm.real, lanes->taken).most > 0) return true;
  free_reals(*lanes);
  destroy_lanes(std::exchange(comm.what.lanes, nullptr));
  return false;
}

/// What a restart needs to make lanes again outlives the communicator under an id that the program does not know, on all
/// members: until a restart finds that no member has a request on them.
inline void keep_lanes(vid::entry<kind::comm>& freed) noexcept {
  vid::entry<kind::comm>* const kept = vid::table<kind::comm>().insert_entry();
  const lower::services& s = *lower::the_bridge().service;
  if (kept == nullptr) lower::cross([&] { s.fatal("no id for a freed communicator that has persistent collectives"); });
  kept->what.ranks = freed.what.ranks;
  kept->what.peers = freed.what.peers;
  kept->what.everyone = freed.what.everyone;
  kept->what.lineage = freed.what.lineage;
  kept->what.topology = std::exchange(freed.what.topology, nullptr);
  kept->what.lanes = std::exchange(freed.what.lanes, nullptr);
  kept->what.lanes->is_kept = true;
  if (kept->what.lanes->taken == 0) free_reals(*kept->what.lanes);
}

}  // namespace mana::wrap
