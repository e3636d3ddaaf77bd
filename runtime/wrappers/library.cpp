// The wrapper library's objects, and how it makes itself known to the lower half when the dynamic linker loads it.
#include <mana/drain/service.hpp>
#include <mana/vid/ggid.hpp>
#include <mana/wrap/manual/all.hpp>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <vector>

namespace mana::vid {
namespace {

std::mutex intern_lock;
rank_map* all_maps = nullptr;
std::atomic<group_clock*> clocks{nullptr};

/// intern_lock is held.
group_clock* clock_named(const ggid_pair& name, const int* sorted, int n) {
  for (group_clock* c = clocks.load(); c != nullptr; c = c->next)
    if (c->ggid == name.ggid && c->check == name.check) return c;
  int* const members = new int[static_cast<std::size_t>(n)];
  std::copy(sorted, sorted + n, members);
  auto* const c = new group_clock{name.ggid, name.check, {0}, clocks.load(), static_cast<std::uint32_t>(n), 0, members};
  clocks.store(c, std::memory_order_release);
  return c;
}

group_clock* clock_of(const int* world_ranks, int n) {
  std::vector<int> sorted(world_ranks, world_ranks + n);
  std::sort(sorted.begin(), sorted.end());
  return clock_named(ggid_of_sorted(sorted.data(), n), sorted.data(), n);
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
  all_maps = new rank_map{n, own, copy, clock_of(world_ranks, n), all_maps};
  return all_maps;
}

group_clock* keyed_clock(const rank_map& ranks, std::uint64_t key) {
  const std::lock_guard hold(intern_lock);
  const group_clock& plain = *ranks.clock;
  return clock_named({plain.ggid, plain.check ^ mix64(key)}, plain.members, ranks.size);
}

group_clock* first_clock() noexcept { return clocks.load(std::memory_order_acquire); }

}  // namespace mana::vid

namespace mana::wrap {

void park_if_asked() noexcept {
  if (park_asked()) drain::park_now();
}

namespace {

/// The program's children are not to be wrapped: takes this library out of LD_PRELOAD.
void leave_preload() {
  const char* const value = std::getenv("LD_PRELOAD");
  if (value == nullptr) return;
  const std::string_view all(value);
  const std::size_t colon = all.find(':');     // ours is the first; what follows is the user's own
  if (colon == std::string_view::npos) unsetenv("LD_PRELOAD");
  else setenv("LD_PRELOAD", std::string(all.substr(colon + 1)).c_str(), 1);
}

[[gnu::constructor(101)]] void attach() {
  leave_preload();
  static const lower::upper_entry entry = {drain::on_park_signal, reduce_upcall};
  app::init_predefined();
  const lower::services& s = *lower::the_bridge().service;
  lower::cross([&] { s.attach(&entry, reinterpret_cast<std::uint64_t>(&vid::first_clock)); });
}

}  // namespace
}  // namespace mana::wrap
