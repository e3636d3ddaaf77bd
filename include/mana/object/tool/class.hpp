// Handles of the tools interface at a restart.
#pragma once
#include <mana/object/tool/life.hpp>

namespace mana {

template <>
struct object_class<kind::tool> {
  static void rebuild() noexcept { object::rebuild_tools(); }
};

}  // namespace mana
