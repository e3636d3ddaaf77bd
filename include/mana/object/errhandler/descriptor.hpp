// Error handlers of the program. entry::references counts its handles and the objects that have it attached.
#pragma once
#include <mana/lower/inventory.hpp>
#include <mana/vid/id_table.hpp>
#include <mana/vid/object_class.hpp>

namespace mana {

template <>
struct class_facts<kind::errhandler> {
  static constexpr int error = neutral::err_errhandler;
  static constexpr lower::counted counted = lower::counted::error_handlers;
  static constexpr bool follows_thread_level = true;
};


template <>
struct descriptor<kind::errhandler> {
  kind_code object = kind_code::none;  // comm, win, file or session: the kind of object to which it may be attached
  void (*function)() = nullptr;  // the program's, of the handler type of that object
  bool is_fortran = false;                                                  // it gets the object's Fortran handle
  void (*by_proxy)(void (*function)(), void* object, int* code) = nullptr;  // null: the function is called directly
};

}  // namespace mana
