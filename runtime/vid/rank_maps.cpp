// Lists of ranks, and clocks, of this process: interned under a lock, for its lifetime.
#include <mana/lower/abi.hpp>
#include <mana/lower/neutral.hpp>
#include <mana/vid/ggid.hpp>
#include <mana/vid/rank_map.hpp>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace mana::vid {
namespace {

std::mutex intern_lock;
rank_map* all_maps = nullptr;
std::atomic<group_clock*> clocks{nullptr};
group_clock *first_retired = nullptr, *last_retired = nullptr;      // in the order in which communicators were freed

/// The caller of each of these holds intern_lock.
group_clock* append(const ggid_pair& name, const int* members, std::uint32_t size, bool is_communicators) {
  auto* const c =
      new group_clock{name.ggid, name.check, {0}, clocks.load(), size, 0, members, is_communicators, nullptr};
  clocks.store(c, std::memory_order_release);
  return c;
}

group_clock* clock_named(const ggid_pair& name, const int* sorted, int n) {
  for (group_clock* c = clocks.load(); c != nullptr; c = c->next)
    if (c->ggid == name.ggid && c->check == name.check) return c;
  int* const members = new int[static_cast<std::size_t>(n)];
  std::copy(sorted, sorted + n, members);
  return append(name, members, static_cast<std::uint32_t>(n), false);
}

/// Name of a sequence of collectives over the group of `plain`.
ggid_pair name_of(const group_clock& plain, std::uint64_t key) { return {plain.ggid, plain.check ^ mix64(key)}; }

group_clock* clock_of(std::vector<int> members) {
  std::sort(members.begin(), members.end());
  const int n = static_cast<int>(members.size());
  return clock_named(ggid_of_sorted(members.data(), n), members.data(), n);
}

}  // namespace

const rank_map* intern_ranks(const int* world_ranks, int n) {
  const std::lock_guard hold(intern_lock);
  for (rank_map* m = all_maps; m != nullptr; m = m->next)
    if (m->size == n && std::equal(world_ranks, world_ranks + n, m->world_ranks)) return m;
  int* const copy = new int[static_cast<std::size_t>(n)];
  std::copy(world_ranks, world_ranks + n, copy);
  int own = neutral::undefined;
  for (int i = 0; i < n; ++i)
    if (copy[i] == static_cast<int>(lower::the_bridge().world_rank)) own = i;
  all_maps = new rank_map{n, own, copy, clock_of({world_ranks, world_ranks + n}), all_maps};
  return all_maps;
}

const rank_map* first_rank_map() noexcept { return all_maps; }

group_clock* clock_of_both(const rank_map& a, const rank_map& b) {
  std::vector<int> members(a.world_ranks, a.world_ranks + a.size);
  members.insert(members.end(), b.world_ranks, b.world_ranks + b.size);
  const std::lock_guard hold(intern_lock);
  return clock_of(std::move(members));
}

group_clock* keyed_clock(const group_clock& everyone, std::uint64_t key) {
  const std::lock_guard hold(intern_lock);
  return clock_named(name_of(everyone, key), everyone.members, static_cast<int>(everyone.size));
}

group_clock* communicator_clock(const group_clock& everyone, std::uint64_t lineage) {
  const std::lock_guard hold(intern_lock);
  const ggid_pair name = name_of(everyone, lineage);
  if (first_retired == nullptr || first_retired->seq.load() != 0)
    return append(name, everyone.members, everyone.size, true);
  group_clock& again = *first_retired;
  first_retired = std::exchange(again.next_retired, nullptr);
  // If a clock has no start, the agent reads nothing else of it. The machine's order puts the first start after these
  // stores.
  again.ggid = name.ggid;
  again.check = name.check;
  again.size = everyone.size;
  again.members = everyone.members;
  return &again;
}

void retire(group_clock* clock) {
  if (clock == nullptr || !clock->is_communicators) return;
  const std::lock_guard hold(intern_lock);
  (first_retired == nullptr ? first_retired : last_retired->next_retired) = clock;
  last_retired = clock;
}

group_clock* first_clock() noexcept { return clocks.load(std::memory_order_acquire); }

}  // namespace mana::vid
