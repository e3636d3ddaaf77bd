// User-defined reductions. The lower half knows one by its number only; the functions are in a
// table of the wrapper library.
#pragma once
#include <mana/vid/id_table.hpp>

namespace mana::vid {

inline constexpr std::uint32_t max_user_ops = 1024;    // numbers that services::op_create accepts

template <>
struct descriptor<kind::op> {
  std::uint32_t number = 0;         // below max_user_ops
  bool commutes = false;
  bool freed = false;               // by the program
};

}  // namespace mana::vid
