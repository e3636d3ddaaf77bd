// Communicators that some members have freed, at a restart. MPI_Comm_free is local: one member may have freed a
// communicator, or have requests on one that it has freed (INV-67), while others still use it. All members must build it
// together. So they tell each other once, for all communicators, which ones exist.
#pragma once
#include <mana/lower/mapped_array.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/request/form/collective/lanes.hpp>
#include <mana/vid/ggid.hpp>
#include <mana/vid/rank_map.hpp>

#include <array>
#include <span>

namespace mana::object {

/// The members' name for a communicator.
struct told_comm {
  std::uint64_t ggid, check, lineage;      // of all members
  std::uint64_t ranks, peers;              // names of the ordered lists, in the process that sends them
  std::uint64_t is_freed;                  // by the program of that process, which has requests on it

  bool names(const vid::entry<kind::comm>& e) const noexcept {
    return e.what.everyone->ggid == ggid && e.what.everyone->check == check && e.what.lineage == lineage;
  }
};
static_assert(sizeof(told_comm) % sizeof(std::int64_t) == 0);

/// The same on all ranks. Lists are interned for the life of a process, so each member knows the list of that name.
inline std::uint64_t name_of(const vid::rank_map& m) noexcept {
  std::uint64_t name = vid::mix64(static_cast<std::uint64_t>(m.size));
  for (int i = 0; i < m.size; ++i) name = vid::mix64(name ^ static_cast<std::uint64_t>(m.world_ranks[i]));
  return name;
}

/// The clock that counts the members' collectives. Each member has it as long as its process lives.
inline vid::group_clock* clock_named(const told_comm& told) noexcept {
  vid::group_clock* c = vid::first_clock();
  while (c != nullptr && (c->ggid != told.ggid || c->check != told.check)) c = c->next;
  return c;
}

inline bool has_requests(const vid::entry<kind::comm>& e) noexcept {
  return e.what.freed && !e.what.has_no_live && e.references > references_of_lanes(e.what);
}

inline bool is_live(const vid::entry<kind::comm>& e) noexcept { return !e.what.freed && !e.what.has_no_live; }

/// Adds up hashes of the process's communicators. Over all ranks both sums are 0 if each communicator lives on all its members
/// or on none: the first member takes away what the others add. In another case they are 0 only if hashes collide.
/// out: sums of 32 bits of each hash, which do not overflow
inline std::array<std::int64_t, 2> sums_of_live() noexcept {
  std::array<std::int64_t, 2> sums{};
  vid::table<kind::comm>().for_each_unordered([&](const vid::entry<kind::comm>& e) {
    if (!is_live(e)) return;
    const vid::group_clock& all = *e.what.everyone;
    const std::uint64_t name = vid::mix64(all.ggid ^ vid::mix64(all.check ^ vid::mix64(e.what.lineage)));
    const bool is_first = all.members[0] == static_cast<int>(lower::the_bridge().world_rank);
    const std::int64_t times = is_first ? 1 - std::int64_t{all.size} : 1;
    sums[0] += times * static_cast<std::int64_t>(name >> 32);
    sums[1] += times * static_cast<std::int64_t>(name & 0xffffffff); });
  return sums;
}

/// Collective over all ranks.
inline bool is_any_freed_apart() noexcept {
  const lower::bridge& b = lower::the_bridge();
  const std::array own = sums_of_live();
  std::array<std::int64_t, 2> sums{};
  const int rc = lower::cross([&] {
    return b.mpi->MPI_Allreduce(own.data(), sums.data(), static_cast<int>(sums.size()), lower::predefined(neutral::int64),
                                lower::predefined(neutral::sum), comms().world.real); });
  if (rc != neutral::success)
    lower::cross([&] { b.service->fatal("ranks could not tell each other of freed communicators at restart"); });
  return sums != std::array<std::int64_t, 2>{};
}

/// Makes an entry that nothing names. It is built with the other members, and ends after that.
inline void join_in(const told_comm& told) noexcept {
  bool is_there = false;
  vid::table<kind::comm>().for_each_unordered([&](const vid::entry<kind::comm>& e) { is_there |= told.names(e); });
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

/// No collective can start on a communicator that some member has freed: all start the same ones before it.
inline void note_freed_apart(std::span<const told_comm> all) noexcept {
  vid::table<kind::comm>().for_each_unordered([&](vid::entry<kind::comm>& e) {
    std::uint32_t living = 0;
    for (const told_comm& told : all) living += told.is_freed == 0 && told.names(e);
    e.what.is_freed_apart = is_live(e) && living < e.what.everyone->size; });
}

/// Afterwards the members of each communicator that must be built have an entry for it. Collective over all ranks.
inline void share_freed() noexcept {
  const lower::bridge& b = lower::the_bridge();
  const auto world = comms().world.real;
  const bool tells_live = is_any_freed_apart();
  const auto is_told = [&](const vid::entry<kind::comm>& e) { return has_requests(e) || (tells_live && is_live(e)); };
  int own = 0;
  vid::table<kind::comm>().for_each_unordered([&](const vid::entry<kind::comm>& e) { own += is_told(e); });
  std::int64_t most = own;
  find_most(world, 1, &most);
  if (most == 0) return;
  constexpr int words = sizeof(told_comm) / sizeof(std::int64_t);
  const auto ranks = static_cast<std::size_t>(b.world_size);
  lower::mapped_array<told_comm> mine(static_cast<std::size_t>(own));
  told_comm* end = mine.data();
  vid::table<kind::comm>().for_each_unordered([&](const vid::entry<kind::comm>& e) {
    if (!is_told(e)) return;
    const vid::group_clock& all = *e.what.everyone;
    *end++ = {all.ggid, all.check, e.what.lineage, name_of(*e.what.ranks), name_of(*e.what.peers), e.what.freed};
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
  lower::mapped_array<told_comm> all(static_cast<std::size_t>(all_words / words));
  if (rc == neutral::success)
    rc = lower::cross([&] {
      return b.mpi->MPI_Allgatherv(mine.data(), own_words, int64, all.data(), counts.data(), starts.data(), int64,
                                   world); });
  if (rc != neutral::success)
    lower::cross([&] { b.service->fatal("ranks could not tell each other of freed communicators at restart"); });
  const auto told = static_cast<std::size_t>(all_words / words);
  for (std::size_t i = 0; i < told; ++i) join_in(all[i]);
  if (tells_live) note_freed_apart({all.data(), told});
}

/// Ends an entry of join_in(). Others use the communicator, but this rank does not.
inline void end_shared(vid::entry<kind::comm>& e) noexcept {
  free_real(std::exchange(e.real, {}));
  vid::table<kind::comm>().erase(e);
}

}  // namespace mana::object
