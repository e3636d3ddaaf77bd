// Matched messages at a checkpoint: their real handles become invalid with the lower half.
#pragma once
#include <mana/object/message/drain.hpp>

namespace mana {

template <>
struct object_class<kind::message> {
  /// A thread that waits in MPI_Mprobe has an id, but no message yet.
  static bool is_counted(const vid::entry<kind::message>& e) noexcept { return e.what.on != nullptr; }
  static void hold(drain::progress& judge) noexcept { object::hold_matched(judge); }
};

}  // namespace mana
