// Sessions: plain data of the upper half. All sessions share the live MPI's data.
#pragma once
#include <mana/lower/inventory.hpp>
#include <mana/lower/neutral.hpp>
#include <mana/vid/id_table.hpp>
#include <mana/vid/object_class.hpp>

namespace mana {

template <>
struct class_facts<kind::session> {
  static constexpr int error = neutral::err_session;
  static constexpr lower::counted counted = lower::counted::sessions;
  static constexpr bool follows_thread_level = false;
};


template <>
struct descriptor<kind::session> {
  std::uint32_t errhandler = neutral::errors_are_fatal;  // neutral code, or bits of a virtual id
  std::uint32_t info = 0;                                // bits of a virtual id, 0: none
};

}  // namespace mana
