// The wrapper library's objects, and how it makes itself known to the lower half when the dynamic linker loads it.
#include <mana/drain/service.hpp>
#include <mana/wrap/manual/all.hpp>

#include <cstdlib>
#include <cstring>
#include <string_view>

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
