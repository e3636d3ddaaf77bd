// Handles of the tools interface (MPI_T). A descriptor has its variable's name: a restart finds the variable by name in
// the new library. If that library does not have it, the handle is kept, but is invalid (entry::real == 0).
#pragma once
#include <mana/core/kind.hpp>
#include <mana/lower/inventory.hpp>
#include <mana/vid/id_table.hpp>
#include <mana/vid/object_class.hpp>

#include <cstdlib>

namespace mana {

template <>
struct class_facts<kind::tool> {
  static constexpr int error = neutral::err_arg;
  static constexpr lower::counted counted = lower::counted::tools_handles;
  static constexpr bool follows_thread_level = false;
};

}  // namespace mana

namespace mana::object {

enum class tool_form : std::uint8_t { cvar, pvar, session, enumeration };

}  // namespace mana::object

namespace mana {

template <>
struct descriptor<kind::tool> {
  object::tool_form form = object::tool_form::cvar;
  bool of_pvar = false;                       // enumeration: of a performance variable's values
  bool started = false;                       // pvar
  int pvar_class = 0;                         // neutral; of a pvar, or of the enumeration's pvar
  int bind = 0;                               // neutral; the kind of object to which it is bound
  std::uint32_t object = 0;                   // that object: neutral code or bits of a virtual id
  int value_bytes = 0;                        // cvar: size of its whole value; 0: unknown
  bool written = false;                       // cvar: `value` is the value that the program wrote last
  vid::entry<kind::tool>* session = nullptr;  // pvar
  char* name = nullptr;                       // of the variable; from malloc, as `value`
  void* value = nullptr;

  descriptor() = default;
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    std::free(name);
    std::free(value);
  }
};

}  // namespace mana
