// The wrapper library's objects, and its connection with the lower half when the dynamic linker loads it.
#include <runtime/wrappers/alone.hpp>
#include <runtime/wrappers/attach.hpp>

#include <mana/checkpoint/program_with_mpi.hpp>
#include <mana/hooks/hook_table.hpp>
#include <mana/lower/signals.hpp>
#include <mana/lower/upper_functions.hpp>
#include <mana/calls.hpp>

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace mana {

void call::park_if_asked() noexcept {
  if (checkpoint::runs_checkpoints(*lower::this_thread())) {
    const lower::inside_guard inside;      // hooks of a moment end before those of the next begin
    hooks::announce_request();
  }
  if (checkpoint::park_asked()) checkpoint::park_now<checkpoint::program_with_mpi>();
}

void object::receive_words() noexcept { library::receive_all_words(); }

}  // namespace mana

namespace mana::wrappers {

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

constexpr lower::upper_functions functions = {sizeof functions, find_object, find_symbol, std::exit, flush,
                                              &checkpoint::noted_needs};

/// LD_PRELOAD brought the library into a process that mana does not run.
void without_lower_half() {
  stand_alone();
  app::init_predefined();
}

/// The dynamic loader calls it with the arguments of main.
[[gnu::constructor(101)]] void attach(int count, char** arguments, char** environment) {
  if (!comes_to_lower_half(count, arguments, environment)) return without_lower_half();
  static const lower::upper_entry entry = {checkpoint::on_park_signal<checkpoint::program_with_mpi>,
                                           object::reduce_upcall};
  app::init_predefined();
  lower::the_bridge().functions = &functions;
  make_known(entry, reinterpret_cast<std::uint64_t>(&vid::first_clock));
}

}  // namespace
}  // namespace mana::wrappers
