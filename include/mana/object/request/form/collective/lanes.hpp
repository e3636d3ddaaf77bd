// The life of the lanes of persistent collectives (object/comm/lane.hpp).
#pragma once
#include <mana/call/library.hpp>
#include <mana/object/comm/collective.hpp>
#include <mana/object/comm/lane.hpp>
#include <mana/object/comm/life.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/request/completion/completion.hpp>
#include <mana/object/request/pool.hpp>
#include <mana/vid/ggid.hpp>

#include <mana/gen/lower_slots.hpp>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace mana::object {

/// The largest of the members' values, n times. Collective over the communicator, in the lower half; the caller makes
/// sure that all members come. Two rounds, because on an intercommunicator one round returns only the other group's
/// values.
/// in, out: values  int64[n]; n <= 32 at a restart, where nothing may be allocated
inline void find_most(real<kind::comm> comm, int n, std::int64_t* values) noexcept {
  const lower::bridge& b = lower::the_bridge();
  scratch<std::int64_t> others(n), own(n);
  const int rc = lower::cross([&] {
    const auto type = lower::predefined(neutral::int64);
    const auto op = lower::predefined(neutral::max);
    const int first = b.mpi->MPI_Allreduce(values, others.data(), n, type, op, comm);
    return first != neutral::success ? first
                                     : b.mpi->MPI_Allreduce(others.data(), own.data(), n, type, op, comm); });
  if (rc != neutral::success)
    lower::cross([&] { b.service->fatal("members of a communicator could not agree on a number"); });
  for (int i = 0; i < n; ++i) values[i] = std::max(own[i], others[i]);
}

inline bool is_free(const lane& l) noexcept { return !__atomic_load_n(&l.is_taken, __ATOMIC_ACQUIRE); }

/// The first lane, from number `from` on, that no request of this rank has. out: its number, or none_free
inline constexpr std::int64_t none_free = std::numeric_limits<std::int64_t>::max();
inline std::int64_t next_free(const lane_list& lanes, std::int64_t from) noexcept {
  std::int64_t number = 0;
  for (const lane* l = lanes.first; l != nullptr; l = l->next, ++number)
    if (number >= from && is_free(*l)) return number;
  return none_free;
}

/// A lane that is free on all members, either an old one or a new one. Collective over the communicator.
/// out: neutral error class; *found
inline int find_lane(vid::entry<kind::comm>& comm, lane*& found) noexcept {
  lane_list& lanes = *comm.what.lanes;
  for (std::int64_t number = 0;;) {
    const std::int64_t own = next_free(lanes, number);
    std::int64_t most[] = {own, -own};
    find_most(comm.real, 2, most);
    if (most[0] == none_free) break;
    number = most[0];
    if (number != -most[1]) continue;                   // a member that has not freed its request yet still uses it
    found = lanes.first;
    while (number-- > 0) found = found->next;
    return neutral::success;
  }
  auto* const made = new (std::nothrow) lane;
  if (made == nullptr) return neutral::err_no_mem;
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  if (const int rc = lower::cross([&] { return mpi.MPI_Comm_dup(comm.real, &made->real); }); rc != neutral::success) {
    delete made;
    return rc;
  }
  made->clock = vid::communicator_clock(*comm.what.everyone, vid::mix64(~comm.what.lineage + vid::mix64(lanes.count)));
  lane** last = &lanes.first;
  while (*last != nullptr) last = &(*last)->next;
  *last = made;
  ++lanes.count;
  found = made;
  return neutral::success;
}

inline void take_lane(collective_plan& plan, lane_list& lanes, lane& l) noexcept {
  plan.lanes = &lanes;
  plan.on = &l;
  l.is_taken = true;
  __atomic_fetch_add(&lanes.taken, 1, __ATOMIC_RELAXED);
}

/// Frees the real communicators. If the list was kept, each rank does this when it has no request on it. So
/// MPI_Comm_free must not wait for other members: the standard expects that, and every MPI fulfils it.
inline void free_reals(lane_list& lanes) noexcept {
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  for (lane* l = lanes.first; l != nullptr; l = l->next)
    if (auto real = std::exchange(l->real, {}); real)
      lower::cross([&] { return mpi.MPI_Comm_free(&real); });
}

/// Frees memory: do not use it at a restart.
inline void destroy_lanes(lane_list* lanes) noexcept {
  while (lane* const l = lanes->first) {
    lanes->first = l->next;
    vid::retire(l->clock);
    delete l;
  }
  delete lanes->topology;
  if (lanes->messages != nullptr) end_traffic(*lanes->messages);
  delete lanes;
}

/// Frees the lanes that a restart has ended. cost: one load if there are none
inline void destroy_ended_lanes() noexcept {
  if (comms().ended_lanes == nullptr) return;
  lane_list* all = __atomic_exchange_n(&comms().ended_lanes, nullptr, __ATOMIC_ACQ_REL);
  while (all != nullptr) destroy_lanes(std::exchange(all, all->next_ended));
}

/// Starts the persistent collective. May park.      out: neutral error class
inline int start_plan(call::wrapper_scope& scope, request_entry& e) noexcept {
  collective_plan& plan = *e.what.plan();
  vid::group_clock& clock = *plan.on->clock;
  const auto how = [] { return waiting{.blocking = false, .waits_for_all = false}; };
  if (!start_collective(scope, clock, nullptr, how)) return neutral::err_unsupported_operation;
  const int rc = plan.start(plan.on->real, &e.real);
  if (rc != neutral::success) retract_collective(clock);
  else e.what.state = request_stage::active;
  return rc;
}

/// MPI_Request_free of an inactive persistent collective.
inline void free_plan(request_entry& e) noexcept {
  collective_plan* const plan = e.what.plan();
  lane_list& lanes = *plan->lanes;
  __atomic_store_n(&plan->on->is_taken, false, __ATOMIC_RELEASE);
  delete plan;
  free_request(e);
  if (__atomic_sub_fetch(&lanes.taken, 1, __ATOMIC_ACQ_REL) == 0 && lanes.is_kept) free_reals(lanes);
}

/// Communicators over the same ranks that the program has freed, and that were kept for their lanes. The list is the
/// same on all members, in this order. It stays empty if threads may free several at once.
class kept_communicators {
 public:
  explicit kept_communicators(const descriptor<kind::comm>& like) : found_(count(like)) {
    int n = 0;
    vid::table<kind::comm>().for_each_unordered([&](vid::entry<kind::comm>& e) {
      if (n < size_ && is_one(e, like)) found_[n++] = &e; });
    std::sort(begin(), end(), [](auto* a, auto* b) { return a->what.lineage < b->what.lineage; });
  }
  int size() const noexcept { return size_; }
  vid::entry<kind::comm>** begin() noexcept { return found_.data(); }
  vid::entry<kind::comm>** end() noexcept { return found_.data() + size_; }
  /// A hash of the list; not negative.
  std::int64_t fingerprint() noexcept {
    std::uint64_t hash = 0;
    for (const auto* const e : *this) hash = vid::mix64(hash ^ e->what.lineage);
    return static_cast<std::int64_t>(hash >> 1);
  }

 private:
  static bool is_one(const vid::entry<kind::comm>& e, const descriptor<kind::comm>& like) noexcept {
    return e.what.lanes != nullptr && e.what.lanes->is_kept && e.what.ranks == like.ranks &&
           e.what.peers == like.peers;
  }
  int count(const descriptor<kind::comm>& like) noexcept {
    if (call::library().callers == turns::at_once) return 0;
    vid::table<kind::comm>().for_each_unordered([&](const vid::entry<kind::comm>& e) {
      size_ += is_one(e, like); });
    return size_;
  }
  int size_ = 0;
  scratch<vid::entry<kind::comm>*> found_;
};

/// Ends the kept communicators that no member uses, so that there are never many more than are in use.
/// Collective over a communicator of the same members. kept: the same on all of them
inline void end_unused(real<kind::comm> comm, kept_communicators& kept) noexcept {
  scratch<std::int64_t> taken(kept.size());
  std::transform(kept.begin(), kept.end(), taken.data(), [](auto* e) { return e->what.lanes->taken; });
  find_most(comm, kept.size(), taken.data());
  const std::int64_t* most = taken.data();
  for (vid::entry<kind::comm>* const e : kept) {
    if (*most++ > 0) continue;
    lane_list* const lanes = std::exchange(e->what.lanes, nullptr);
    lanes->topology = std::exchange(e->what.topology, nullptr);
    destroy_lanes(lanes);
    let_go_of_comm(*e);
  }
}

/// Called when the program frees a communicator. Ends its lanes, unless members have requests on them.
/// Collective over the communicator.      out: whether the lanes are kept; the same on all members
inline bool end_lanes(vid::entry<kind::comm>& comm) noexcept {
  lane_list* const lanes = comm.what.lanes;
  if (lanes == nullptr) return false;
  kept_communicators kept(comm.what);
  const std::int64_t own = kept.fingerprint();
  std::int64_t most[] = {lanes->taken, own, -own};
  find_most(comm.real, 3, most);
  if (kept.size() > 0 && most[1] == -most[2]) end_unused(comm.real, kept);
  if (most[0] > 0) return true;
  free_reals(*lanes);
  destroy_lanes(std::exchange(comm.what.lanes, nullptr));
  return false;
}

/// How many of the communicator's references its lanes hold: one after the program has freed it.
inline std::uint32_t references_of_lanes(const descriptor<kind::comm>& comm) noexcept {
  return comm.lanes != nullptr && comm.lanes->is_kept ? 1 : 0;
}

/// Keeps the data that a restart needs to make lanes again after the program has freed its handle. All members keep it
/// until they find that none of them has a request left. The real communicator ends if this rank has nothing else on
/// it.
inline void keep_lanes(vid::entry<kind::comm>& freed) noexcept {
  lane_list& lanes = *freed.what.lanes;
  lanes.is_kept = true;
  keep_comm(freed);
  if (lanes.taken == 0) free_reals(lanes);
  if (__atomic_load_n(&freed.references, __ATOMIC_RELAXED) != 2) return;
  free_real(std::exchange(freed.real, {}));
  with_inbox([&](inbox& in) { in.drop(freed.what.context); });
  end_traffic(*std::exchange(freed.what.messages, nullptr));       // no message can come on it
}

}  // namespace mana::object
