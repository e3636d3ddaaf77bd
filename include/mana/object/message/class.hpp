// Matched messages at a checkpoint: their real handles die with the lower half.
#pragma once
#include <mana/object/message/drain.hpp>

namespace mana {

template <>
struct object_class<kind::message> {
  static void hold(drain::progress& judge) noexcept { drain::hold_matched(judge); }
};

}  // namespace mana
