// From the image's descriptors to live MPI objects in a new lower half.
// INV-135 MPI_T lives from its own beginning on: a restart of a process that was saved before MPI_Init begins it again.
// Because: MPI-4.0, 15.3.4, lets a program call MPI_T_init_thread first; no other class has live objects before MPI_Init.
// Checked: tests/cases/programs/tools_before_mpi.c, "INV-135".
#pragma once
#include <mana/object/classes.hpp>

namespace mana::checkpoint {

/// Whether a class has live objects before MPI_Init and after MPI_Finalize.
template <class Class>
inline constexpr bool lives_outside_mpi = false;
template <class Class>
  requires(Class::outside_mpi)
inline constexpr bool lives_outside_mpi<Class> = true;

/// Afterwards every real handle belongs to this lower half. in_mpi: MPI ran at the checkpoint
template <class Classes>
inline void rebuild_all(bool in_mpi) noexcept {
  for_each_class<Classes>([=]<class Class>(Class) {
    if constexpr (requires { Class::rebuild(); })
      if (in_mpi || lives_outside_mpi<Class>) Class::rebuild();
  });
}

}  // namespace mana::checkpoint
