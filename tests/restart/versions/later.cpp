// What a lower half of a later minor has beside today's: its version, and a slot behind all others. Linked before the archives that
// have those of today.
#include <runtime/image/format/own_version.hpp>

#include <mana/gen/lower_slots.hpp>

namespace mana::lower {

const mpi_slots& slots_of_today() noexcept;

namespace {

constexpr std::uint32_t later_minor = services_minor + 1;

struct later_slots : mpi_slots {
  int (*MPI_Comm_later)(real<kind::comm> comm);
};

later_slots make_slots() noexcept {
  later_slots table{slots_of_today(), [](real<kind::comm>) { return int{neutral::success}; }};
  table.head = {sizeof table, later_minor};
  return table;
}

}  // namespace

const mpi_slots& the_mpi_slots() noexcept {
  static const later_slots table = make_slots();
  return table;
}

}  // namespace mana::lower

mana::lower::boundary_version mana::image::own_version() noexcept {
  return {lower::layout_major, lower::later_minor};
}
