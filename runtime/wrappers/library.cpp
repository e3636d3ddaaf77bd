// The wrapper library's objects, and how it makes itself known to the lower half when the dynamic linker loads it.
#include <mana/drain/service.hpp>
#include <mana/hooks/hook_table.hpp>
#include <mana/wrap/manual/all.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace mana::wrap {

void park_if_asked() noexcept {
  if (drain::runs_checkpoints(*lower::this_thread())) {
    const lower::inside_guard inside;      // the hooks of one moment end before those of the next begin
    hooks::announce_request();
  }
  if (park_asked()) drain::park_now();
}

void receive_firsts() noexcept { receive_all_firsts(); }

namespace {

/// The program's children are not to be wrapped: takes this library out of LD_PRELOAD, and the tools that stand before it
/// because mana put them there. What follows is the user's own.
void leave_preload() {
  const char* const value = std::getenv("LD_PRELOAD");
  Dl_info ours{};
  if (value == nullptr || dladdr(reinterpret_cast<const void*>(&leave_preload), &ours) == 0) return;
  const std::string_view all(value);
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t colon = std::min(all.find(':', begin), all.size());
    const bool found = all.substr(begin, colon - begin) == ours.dli_fname;
    begin = colon + 1;
    if (!found) continue;
    if (begin >= all.size()) unsetenv("LD_PRELOAD");
    else setenv("LD_PRELOAD", std::string(all.substr(begin)).c_str(), 1);
    return;
  }
}

[[gnu::constructor(101)]] void attach() {
  leave_preload();
  static const lower::upper_entry entry = {drain::on_park_signal, reduce_upcall};
  app::init_predefined();
  drain::make_own_stack();        // MPI_Init says if there is no memory for it
  const lower::services& s = *lower::the_bridge().service;
  lower::cross([&] { s.attach(&entry, reinterpret_cast<std::uint64_t>(&vid::first_clock)); });
}

}  // namespace
}  // namespace mana::wrap
