// Communicators at a checkpoint and at a restart.
#pragma once
#include <mana/object/comm/class/rebuild.hpp>
#include <mana/object/comm/drain.hpp>

namespace mana {

template <>
struct object_class<kind::comm> {
  static int look(drain::progress& judge) noexcept {
    drain::for_each_channel([&](const auto& comm, std::uint64_t real) { drain::empty_channel(judge, comm, real); });
    return 0;
  }
  static void rebuild() noexcept { restart::rebuild_comms(); }
};

}  // namespace mana
