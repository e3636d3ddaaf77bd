// The wrapper library's objects, and how it makes itself known to the lower half when the dynamic linker loads it.
#include "attach.hpp"

#include <mana/drain/program_with_mpi.hpp>
#include <mana/hooks/hook_table.hpp>
#include <mana/wrap/manual/all.hpp>

namespace mana::wrap {

void park_if_asked() noexcept {
  if (drain::runs_checkpoints(*lower::this_thread())) {
    const lower::inside_guard inside;      // the hooks of one moment end before those of the next begin
    hooks::announce_request();
  }
  if (drain::park_asked()) drain::park_now<drain::program_with_mpi>();
}

void receive_words() noexcept { receive_all_words(); }

namespace {

/// As the dynamic loader calls it: with the arguments of main.
[[gnu::constructor(101)]] void attach(int count, char** arguments, char** environment) {
  if (!comes_to_lower_half(count, arguments, environment)) return;
  static const lower::upper_entry entry = {drain::on_park_signal<drain::program_with_mpi>, reduce_upcall};
  app::init_predefined();
  make_known(entry, reinterpret_cast<std::uint64_t>(&vid::first_clock));
}

}  // namespace
}  // namespace mana::wrap
