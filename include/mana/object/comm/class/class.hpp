// Communicators at a checkpoint and at a restart.
#pragma once
#include <mana/object/comm/class/rebuild.hpp>
#include <mana/object/comm/drain.hpp>

namespace mana {

template <>
struct object_class<kind::comm> {
  static int look(drain::progress& judge) noexcept {
    object::for_each_channel(
        [&](const auto& comm, real<kind::comm> real) { object::empty_channel(judge, comm, real); });
    return 0;
  }
  static bool is_counted(const vid::entry<kind::comm>& e) noexcept { return !e.what.is_hidden; }
  static void rebuild() noexcept { object::rebuild_comms(); }
};

}  // namespace mana
