#include <runtime/split/window/window.hpp>

#include <runtime/split/window/kernel_mappings.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <mana/lower/zones.hpp>

namespace mana::split {
namespace {

constinit window_map the_window{{lower::mmap_zone, lower::window_end}};
constinit window_map the_low_window{{lower::low_zone, lower::low_zone_end}};

constexpr address_range bridge_pages{
    lower::bridge_address, lower::threads_address + lower::max_threads * sizeof(lower::thread_block)};
constexpr address_range stub_pages{lower::stub_address, lower::program_zone};

constexpr bool apart(address_range a, address_range b) noexcept { return a.end <= b.begin || b.end <= a.begin; }

}  // namespace

window_map& mmap_window() noexcept { return the_window; }
window_map& low_window() noexcept { return the_low_window; }
window_map& window_at(std::uintptr_t address) noexcept {
  return lower::is_in_low_zone(address, address) ? the_low_window : the_window;
}

bool rebuild_window() noexcept {
  the_window.clear();
  the_low_window.clear();
  bool ok = true;
  const bool is_known = each_mapping([&](const kernel_mapping& m) {
    ok = the_window.take(m.range) && the_low_window.take(m.range) && ok;
  });
  return is_known && ok;
}

bool belongs_to_upper(address_range r) noexcept {
  if (r.begin > r.end) return false;
  if (lower::is_in_low_zone(r.begin, r.end)) return true;
  const saved_state& state = saved();
  if (address_range{state.fixed_begin, state.fixed_end}.contains(r)) return true;
  return address_range{lower::window_begin, lower::window_end}.contains(r) && apart(r, bridge_pages) &&
         apart(r, stub_pages);
}

}  // namespace mana::split
