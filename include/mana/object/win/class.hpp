// Windows at a checkpoint and at a restart.
//
// INV-122 at a recovery line no one-sided operation is under way, and its result is in its target's memory.
// Because: with all threads parked each rank flushes its dirty windows before the drain's first barrier, and makes the
// results visible in each turn after it. Flushes need nothing of the targets except progress, which ranks make in the
// drain and while they are parked (INV-27).
#pragma once
#include <mana/drain/turn.hpp>
#include <mana/object/comm/class/rebuild.hpp>
#include <mana/object/win/begin.hpp>
#include <mana/object/win/meeting.hpp>
#include <mana/vid/in_order.hpp>

#include <cstdio>
#include <cstring>

namespace mana::object {

/// The exit status surroundings_differ, of a table that is the lower half's. A unit test compares them.
inline constexpr int status_if_memory_is_split = 83;

/// Refuses the restart if the ranks of a shared window are no longer on one node. Collective over the window's ranks.
inline void expect_shared(const win_entry& e) noexcept {
  const vid::rank_map& ranks = ranks_of(e);
  const auto on = e.what.on->real;
  const bool shares = still_shares(on, ranks.own_rank == 0, e.what.shared);
  if (greatest_error(on, shares ? 0 : 1) == 0) return;
  const lower::bridge& b = lower::the_bridge();
  char node[512] = "another node", first_node[512], line[1536];
  int length = 0;
  lower::cross([&] { b.mpi->MPI_Get_processor_name(node, &length); });
  std::memcpy(first_node, node, sizeof node);
  lower::cross([&] { b.mpi->MPI_Bcast(first_node, sizeof first_node, lower::predefined(neutral::byte), 0, on); });
  std::snprintf(line, sizeof line,
                "rank %u (now on %s) does not share the memory of a window with rank %d (now on %s). Place the window's %d "
                "ranks, from %d to %d, on one node and restart again",
                b.world_rank, node, ranks.world_ranks[0], first_node, ranks.size, ranks.world_ranks[0],
                ranks.world_ranks[ranks.size - 1]);
  if (!shares) lower::cross([&] { b.service->note(line); });
  lower::cross([&] {
    b.mpi->MPI_Barrier(on);                      // every rank has said so before one ends the job
    b.service->abort(status_if_memory_is_split);
  });
}

inline void rebuild_win(win_entry& e) noexcept {
  const int rc = with_channel(e, [&] {
    if (e.what.flavor == win_flavor::shared) expect_shared(e);
    return make_both(e); });
  const lower::services& s = *lower::the_bridge().service;
  if (rc != neutral::success)
    lower::cross([&] { s.fatal("a window could not be built again at restart"); });
}

}  // namespace mana::object

namespace mana {

template <>
struct object_class<kind::win> {
  static int complete(drain::progress& judge) noexcept {
    vid::table<kind::win>().for_each_unordered([&](object::win_entry& e) {
      if (e.real) judge.check(object::complete_all(e), "MPI_Win_flush_all"); });
    return 0;
  }
  static int look(drain::progress& judge) noexcept {
    vid::table<kind::win>().for_each_unordered([&](object::win_entry& e) {
      if (e.real) judge.check(object::synchronise(e), "MPI_Win_sync"); });
    return 0;
  }
  /// In the order of communicators, which is the same on all members. No window is half made at a line: constructors
  /// and MPI_Win_free are collectives.
  static void rebuild() noexcept {
    vid::for_each_in_order<kind::win>(
        [](const object::win_entry& e) { return e.what.on != nullptr; },
        [](const object::win_entry& a, const object::win_entry& b) {
          return object::built_before(*a.what.on, *b.what.on); }, object::rebuild_win);
  }
};

}  // namespace mana
