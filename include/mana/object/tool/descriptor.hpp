// Handles of the tools interface (MPI_T). Variables are named: a restart finds them by name in the library that is below
// then. A handle whose variable that library does not have stays known, and is invalid (entry::real == 0).
#pragma once
#include <mana/core/kind.hpp>
#include <mana/vid/id_table.hpp>

#include <cstdlib>

namespace mana::vid {

enum class tool_form : std::uint8_t { cvar, pvar, session, enumeration };

template <>
struct descriptor<kind::tool> {
  tool_form form = tool_form::cvar;
  bool of_pvar = false;                    // enumeration: of a performance variable's values
  bool started = false;                    // pvar
  int pvar_class = 0;                      // neutral; of a pvar, or of the enumeration's one
  int bind = 0;                            // neutral; what kind of object it is bound to
  std::uint32_t object = 0;                // that object: neutral code or bits of a virtual id
  int value_bytes = 0;                     // cvar: of its whole value; 0: not known
  bool written = false;                    // cvar: `value` is what the program wrote last
  entry<kind::tool>* session = nullptr;    // pvar
  char* name = nullptr;                    // of the variable; from malloc, as `value`
  void* value = nullptr;

  descriptor() = default;
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    std::free(name);
    std::free(value);
  }
};

}  // namespace mana::vid
