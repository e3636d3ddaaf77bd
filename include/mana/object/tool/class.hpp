// Handles of the tools interface at a restart.
#pragma once
#include <mana/object/tool/life.hpp>

namespace mana {

template <>
struct object_class<kind::tool> {
  static constexpr bool outside_mpi = true;      // MPI_T_init_thread can precede MPI_Init: MPI-4.0, 15.3.4
  static void rebuild() noexcept { object::rebuild_tools(); }
};

}  // namespace mana
