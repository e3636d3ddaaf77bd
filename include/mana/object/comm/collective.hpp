// Counting collectives: the common part of blocking, non-blocking and constructing collectives.
#pragma once
#include <mana/call/scope.hpp>
#include <mana/object/comm/descriptor.hpp>

namespace mana::object {

/// refused: not counted, see refused_by_clock. park: not counted; park, then start again. After that, real handles and
/// addresses of the lower half that the caller has read before may belong to a process that has ended.
enum class start_outcome { may_start, park, refused };

inline constexpr const char* refused_by_clock =
    "the clock policy of this job (mana run --clock) has no non-blocking collectives, and none without an intracommunicator";

/// Whether a collective's caller waits for others. It is asked only if a clock's policy asks.
struct waiting {
  bool blocking = true;          // it may wait for others
  bool waits_for_all = false;    // it certainly waits until all members have started
};

/// Asks the clock, and waits if it must. comm: over the clock's members; nullptr: no such communicator exists yet
[[gnu::noinline, gnu::cold]] inline start_outcome ask_clock(vid::group_clock& clock,
                                                            const vid::entry<kind::comm>* comm, waiting how) noexcept {
  // A barrier of an intercommunicator releases a rank when the other group has come, so no policy can use it.
  const auto real = comm == nullptr || comm->what.is_inter() ? mana::real<kind::comm>{} : comm->real;
  const lower::collective_start start{&clock, real, how.blocking, how.waits_for_all};
  const lower::services& s = *lower::the_bridge().service;
  switch (lower::cross([&] { return s.clock_enter(&start); })) {
    case lower::wait_end::done: return start_outcome::may_start;
    case lower::wait_end::refused: return start_outcome::refused;
    case lower::wait_end::attention: break;
  }
  return start_outcome::park;
}

/// Counts a collective on the clock's group. If the clock asks for it, waits until the collective may start.
///
/// in: comm  over the clock's members; nullptr: no such communicator exists yet
///     how   () → waiting
/// cost: one increment and one load when no checkpoint is pending
///
/// INV-7 every collective call passes the clock exactly once before it enters the lower half, on each member. It does
/// so here.
template <class How>
[[gnu::always_inline]] inline start_outcome try_start(vid::group_clock& clock,
                                                      const vid::entry<kind::comm>* comm, How&& how) noexcept {
  advance(clock.seq);   // a clock has no two starts at once, even if several threads call MPI: see group_clock.hpp
  std::atomic_signal_fence(std::memory_order_seq_cst);  // the other half of the fence is the requester's membarrier
  if (lower::the_bridge().attention.load(std::memory_order_relaxed) == 0) [[likely]] return start_outcome::may_start;
  return ask_clock(clock, comm, how());
}

/// Returns when the collective may start. Real handles and addresses of the lower half that the caller has read before
/// may belong to a process that has ended.
/// out: false: refused
template <class How>
inline bool start_collective(call::wrapper_scope& scope, vid::group_clock& clock, const vid::entry<kind::comm>* comm,
                             How&& how) noexcept {
  for (;;) {
    const start_outcome now = try_start(clock, comm, how);
    if (now != start_outcome::park) return now == start_outcome::may_start;
    scope.park_here();
  }
}

/// For a constructor of communicators: it is blocking, and nobody may rely on which ranks wait.
inline bool start_constructor(call::wrapper_scope& scope, vid::group_clock& clock,
                              const vid::entry<kind::comm>* comm) noexcept {
  return start_collective(scope, clock, comm, [] { return waiting{}; });
}

/// Clock of a communicator's non-blocking collectives. The standard orders them only among those of the same
/// communicator. With one count for two communicators, equal counts would not show that all members have started the
/// same collectives.
inline vid::group_clock& clock_of_started(descriptor<kind::comm>& comm) noexcept {
  if (comm.started == nullptr) [[unlikely]] comm.started = vid::communicator_clock(*comm.everyone, comm.lineage);
  return *comm.started;
}

/// True for an error in the call's own arguments, which the live MPI finds before it sends anything.
inline bool is_of_arguments(int neutral_class) noexcept {
  switch (neutral_class) {
    case neutral::err_buffer: case neutral::err_count: case neutral::err_type: case neutral::err_comm: case neutral::err_root:
    case neutral::err_group: case neutral::err_op: case neutral::err_topology: case neutral::err_dims: case neutral::err_arg:
      return true;
    default: return false;
  }
}

/// Takes back the count of a collective that the live MPI refused to start.
/// INV-9: as for starts, either the counts that a request reads are without it, or the request hears of it.
[[gnu::noinline, gnu::cold]] inline void retract_collective(vid::group_clock& clock) noexcept {
  clock.seq.fetch_sub(1, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (lower::the_bridge().attention.load(std::memory_order_relaxed) == 0) return;
  const lower::services& s = *lower::the_bridge().service;
  lower::cross([&] { s.clock_retract(); });
}

/// Takes back a blocking collective only if its arguments were wrong. With another error it may have failed on its way:
/// then it has taken place.
inline void retract_if_refused(vid::group_clock& clock, int neutral_class) noexcept {
  if (is_of_arguments(neutral_class)) retract_collective(clock);
}

}  // namespace mana::object
