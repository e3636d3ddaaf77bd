// The wrapper library's objects, and how it makes itself known to the lower half when the dynamic linker loads it.
#include "alone.hpp"
#include "preload.hpp"

#include <mana/drain/service.hpp>
#include <mana/hooks/hook_table.hpp>
#include <mana/lower/presence.hpp>
#include <mana/lower/signals.hpp>
#include <mana/lower/upper_functions.hpp>
#include <mana/wrap/manual/all.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace mana::wrap {

void park_if_asked() noexcept {
  if (drain::runs_checkpoints(*lower::this_thread())) {
    const lower::inside_guard inside;      // the hooks of one moment end before those of the next begin
    hooks::announce_request();
  }
  if (park_asked()) drain::park_now();
}

void receive_words() noexcept { receive_all_words(); }

namespace {

int find_object([[maybe_unused]] void* address, [[maybe_unused]] dl_find_object* result) noexcept {
#if __GLIBC_PREREQ(2, 35)
  return _dl_find_object(address, result);
#else
  return -1;
#endif
}

int find_symbol(const void* address, void* info) noexcept { return dladdr(address, static_cast<Dl_info*>(info)); }

void flush(int all) noexcept { std::fflush(all != 0 ? nullptr : stdout); }

constexpr lower::upper_functions functions = {sizeof functions, find_object, find_symbol, std::exit, flush};

/// The library came by LD_PRELOAD into a process that mana does not run.
void without_lower_half(int count, char** arguments, char** environment) {
  find_back(count, arguments, environment);
  stand_alone();
  app::init_predefined();
}

/// As the dynamic loader calls it: with the arguments of main.
[[gnu::constructor(101)]] void attach(int count, char** arguments, char** environment) {
  if (!lower::has_lower_half()) return without_lower_half(count, arguments, environment);
  leave_environment(environment);
  if (environ != environment) leave_environment(environ);
  static const lower::upper_entry entry = {drain::on_park_signal, reduce_upcall};
  app::init_predefined();
  drain::make_own_stack();        // MPI_Init says if there is no memory for it
  const lower::services& s = *lower::the_bridge().service;
  lower::the_bridge().reserved[lower::slot_upper_functions] = reinterpret_cast<std::uint64_t>(&functions);
  lower::cross([&] { s.attach(&entry, reinterpret_cast<std::uint64_t>(&vid::first_clock)); });
}

}  // namespace
}  // namespace mana::wrap
