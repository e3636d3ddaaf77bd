// Error handlers of the application. entry::references counts its handles and the objects that have it attached.
#pragma once
#include <mana/vid/id_table.hpp>

namespace mana::vid {

template <>
struct descriptor<kind::errhandler> {
  kind_code object = kind_code::none;    // comm, win, file or session: what it may be attached to
  void (*function)() = nullptr;          // the application's, of the handler type of that object
  bool is_fortran = false;               // it gets the object as Fortran has it
  void (*by_proxy)(void (*function)(), void* object, int* code) = nullptr;   // null: the function is called itself
};

}  // namespace mana::vid
