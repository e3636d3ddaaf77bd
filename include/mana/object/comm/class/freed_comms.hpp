// Communicators that the program has freed, but that operations still name (INV-67), at a restart. Naming is local: one
// member may have requests on such a communicator while another has none, and no entry left. All members must build it
// together. So they tell each other once, for all communicators, which ones exist. The live communicators are the same
// on all members, because MPI_Comm_free is counted as a collective: at the line all members have freed a communicator,
// or none has.
#pragma once
#include <mana/lower/mapped_array.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/request/form/collective/lanes.hpp>
#include <mana/vid/ggid.hpp>
#include <mana/vid/rank_map.hpp>

namespace mana::object {

/// The members' name for a freed communicator.
struct freed_comm {
  std::uint64_t ggid, check, lineage;      // of all members
  std::uint64_t ranks, peers;              // names of the ordered lists, in the process that sends them
};
static_assert(sizeof(freed_comm) % sizeof(std::int64_t) == 0);

/// The same on all ranks. Lists are interned for the life of a process, so each member knows the list of that name.
inline std::uint64_t name_of(const vid::rank_map& m) noexcept {
  std::uint64_t name = vid::mix64(static_cast<std::uint64_t>(m.size));
  for (int i = 0; i < m.size; ++i) name = vid::mix64(name ^ static_cast<std::uint64_t>(m.world_ranks[i]));
  return name;
}

/// The clock that counts the members' collectives. Each member has it as long as its process lives.
inline vid::group_clock* clock_named(const freed_comm& told) noexcept {
  vid::group_clock* c = vid::first_clock();
  while (c != nullptr && (c->ggid != told.ggid || c->check != told.check)) c = c->next;
  return c;
}

inline bool has_requests(const vid::entry<kind::comm>& e) noexcept {
  return e.what.freed && !e.what.has_no_live && e.references > references_of_lanes(e.what);
}

/// Makes an entry that nothing names. It is built with the other members, and ends after that.
inline void join_in(const freed_comm& told) noexcept {
  bool is_there = false;
  vid::table<kind::comm>().for_each_unordered([&](const vid::entry<kind::comm>& e) {
    const vid::group_clock& all = *e.what.everyone;
    is_there |= all.ggid == told.ggid && all.check == told.check && e.what.lineage == told.lineage; });
  if (is_there) return;
  const vid::rank_map *first = nullptr, *second = nullptr;
  for (const vid::rank_map* m = vid::first_rank_map(); m != nullptr; m = m->next) {
    const std::uint64_t name = name_of(*m);
    if (name == told.ranks) first = m;
    if (name == told.peers) second = m;
  }
  const auto is_in = [](const vid::rank_map* m) { return m != nullptr && m->own_rank != neutral::undefined; };
  if (!is_in(first) && !is_in(second)) return;
  const lower::services& s = *lower::the_bridge().service;
  vid::entry<kind::comm>* const e = vid::table<kind::comm>().insert_entry();
  vid::group_clock* const everyone = clock_named(told);
  if (first == nullptr || second == nullptr || everyone == nullptr || e == nullptr)
    lower::cross([&] { s.fatal("a freed communicator that other ranks still use cannot be built again at restart"); });
  e->what.ranks = is_in(first) ? first : second;
  e->what.peers = is_in(first) ? second : first;
  e->what.everyone = everyone;
  e->what.lineage = told.lineage;
  e->what.freed = true;
}

/// Afterwards the members of each communicator that must be built have an entry for it. Collective over all ranks.
inline void share_freed() noexcept {
  const lower::bridge& b = lower::the_bridge();
  const auto world = comms().world.real;
  int own = 0;
  vid::table<kind::comm>().for_each_unordered([&](const vid::entry<kind::comm>& e) { own += has_requests(e); });
  std::int64_t most = own;
  find_most(world, 1, &most);
  if (most == 0) return;
  constexpr int words = sizeof(freed_comm) / sizeof(std::int64_t);
  const auto ranks = static_cast<std::size_t>(b.world_size);
  lower::mapped_array<freed_comm> mine(static_cast<std::size_t>(own));
  freed_comm* end = mine.data();
  vid::table<kind::comm>().for_each_unordered([&](const vid::entry<kind::comm>& e) {
    if (!has_requests(e)) return;
    const vid::group_clock& all = *e.what.everyone;
    *end++ = {all.ggid, all.check, e.what.lineage, name_of(*e.what.ranks), name_of(*e.what.peers)};
  });
  const int own_words = own * words;
  lower::mapped_array<int> counts(ranks), starts(ranks);
  const auto int64 = lower::predefined(neutral::int64), byte = lower::predefined(neutral::byte);
  int rc = lower::cross([&] {
    return b.mpi->MPI_Allgather(&own_words, sizeof own_words, byte, counts.data(), sizeof(int), byte, world); });
  int all_words = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    starts[r] = all_words;
    all_words += counts[r];
  }
  lower::mapped_array<freed_comm> all(static_cast<std::size_t>(all_words / words));
  if (rc == neutral::success)
    rc = lower::cross([&] {
      return b.mpi->MPI_Allgatherv(mine.data(), own_words, int64, all.data(), counts.data(), starts.data(), int64,
                                   world); });
  if (rc != neutral::success)
    lower::cross([&] { b.service->fatal("ranks could not tell each other of freed communicators at restart"); });
  for (int i = 0; i < all_words / words; ++i) join_in(all[static_cast<std::size_t>(i)]);
}

/// Ends an entry of join_in(). Others have requests on the communicator, but this rank has none.
inline void end_shared(vid::entry<kind::comm>& e) noexcept {
  free_real(std::exchange(e.real, {}));
  vid::table<kind::comm>().erase(e);
}

}  // namespace mana::object
