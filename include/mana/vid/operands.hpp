// What an operation names besides its communicator. entry::references counts, of communicators, datatypes and user-defined
// operations, who needs the object: one for the application's handle, one for each request, message, persistent
// collective or outer datatype that names it. Who gives up the last one ends the object.
//
// INV-67 what an operation names lives until the operation has ended; what a persistent request names, until that is
// freed: the descriptor, and the object in the live MPI, in each new lower half too.
// Because: a reference is taken before the operation is started, and given up when its request is.
#pragma once
#include <cstdint>

namespace mana::vid {

/// Datatypes of a collective that has one for each member or neighbour. From malloc.
struct type_list {
  std::uint32_t size;
  std::uint32_t names[];       // neutral codes or bits of virtual ids
};

struct operands {
  std::uint32_t datatype = 0;        // neutral code or bits of a virtual id; of a collective, only what is counted
  std::uint32_t other_datatype = 0;  // of a collective with two
  std::uint32_t op = 0;              // bits of a virtual id; 0: none that is counted
  type_list* types = nullptr;        // owned
};

}  // namespace mana::vid
