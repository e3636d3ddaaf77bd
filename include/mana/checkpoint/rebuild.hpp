// From the image's descriptors to live MPI objects in a new lower half.
#pragma once
#include <mana/object/classes.hpp>

namespace mana::checkpoint {

/// Afterwards every real handle belongs to this lower half.
template <class Classes>
inline void rebuild_all() noexcept {
  for_each_class<Classes>([]<class Class>(Class) { if constexpr (requires { Class::rebuild(); }) Class::rebuild(); });
}

}  // namespace mana::checkpoint
