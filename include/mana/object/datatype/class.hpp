// Datatypes at a restart.
#pragma once
#include <mana/object/datatype/life.hpp>

namespace mana {

template <>
struct object_class<kind::datatype> {
  static void rebuild() noexcept { object::rebuild_datatypes(); }
};

}  // namespace mana
