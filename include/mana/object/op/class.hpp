// Operations of the program at a restart.
#pragma once
#include <mana/object/op/calls.hpp>

namespace mana {

template <>
struct object_class<kind::op> {
  static void rebuild() noexcept { object::rebuild_ops(); }
};

}  // namespace mana
