// What an operation names besides its communicator. entry::references counts, of communicators, datatypes and user-defined
// operations, who needs the object: one for the application's handle, one for each request, message, persistent
// collective or outer datatype that names it. Who gives up the last one ends the object.
//
// INV-67 what an operation names lives until the operation has ended; what a persistent request names, until that is
// freed: the descriptor, and the object in the live MPI, in each new lower half too.
// Because: a request of any form keeps its communicator (new_request()) and what it names (descriptor::names) from before
// its operation is started, and free_request() gives up both: no form counts anything of its own.
#pragma once
#include <cstdint>

namespace mana::object {

/// Datatypes of a collective that has one for each member or neighbour. From malloc.
struct type_list {
  std::uint32_t size;
  std::uint32_t names[];       // neutral codes or bits of virtual ids
};

/// Names are neutral codes or bits of virtual ids; 0: none that is counted. The second half is a collective's, and is not
/// set where nothing is counted: most operations name nothing but predefined objects.
struct operands {
  std::uint32_t datatype = 0;
  std::uint32_t op;
  std::uint32_t other_datatype;
  type_list* types;                  // owned
  void begin() noexcept {
    op = other_datatype = 0;
    types = nullptr;
  }
};

}  // namespace mana::object
