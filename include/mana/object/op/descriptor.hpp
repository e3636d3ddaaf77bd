// User-defined reductions. The lower half knows only an operation's number; the functions are in a table of the wrapper
// library.
#pragma once
#include <mana/lower/inventory.hpp>
#include <mana/vid/id_table.hpp>
#include <mana/vid/object_class.hpp>

namespace mana {

template <>
struct class_facts<kind::op> {
  static constexpr int error = neutral::err_op;
  static constexpr lower::counted counted = lower::counted::operations;
  static constexpr bool follows_thread_level = true;
};

}  // namespace mana

namespace mana::object {

inline constexpr std::uint32_t max_user_ops = 1024;    // numbers that services::op_create accepts

}  // namespace mana::object

namespace mana {

template <>
struct descriptor<kind::op> {
  std::uint32_t number = 0;         // below max_user_ops
  bool commutes = false;
  bool freed = false;               // by the program
};

}  // namespace mana
