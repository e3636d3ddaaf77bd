// From the image's descriptors to live MPI objects in a new lower half.
#pragma once
#include <mana/object/classes.hpp>

namespace mana::checkpoint {

/// Afterwards every real handle belongs to this lower half. in_mpi: the live MPI runs
template <class Classes>
inline void rebuild_all(bool in_mpi) noexcept {
  for_each_class<Classes>([=]<class Class>(Class) {
    if constexpr (requires { Class::rebuild(); })
      if (in_mpi || requires { requires Class::outside_mpi; }) Class::rebuild();
  });
}

}  // namespace mana::checkpoint
