// The objects that an operation names besides its communicator. entry::references counts the users of communicators,
// datatypes and user-defined operations. The program's handle counts as one, and so does each request, message,
// persistent collective or outer datatype that names the object. The code that drops the last reference ends the
// object.
//
// INV-67 the objects that an operation names live until the operation has ended. Those of a persistent request live
// until the request is freed. This covers the descriptor and the object in the live MPI, also in each new lower half.
// Because: a request of any form keeps its communicator (new_request()) and the objects that it names
// (descriptor::names) before its operation starts. free_request() releases both. No form has references of its own.
#pragma once
#include <cstdint>

namespace mana::object {

/// Datatypes of a collective that has one for each member or neighbour. From malloc.
struct type_list {
  std::uint32_t size;
  std::uint32_t names[];       // neutral codes or bits of virtual ids
};

/// Names are neutral codes or bits of virtual ids; 0: no counted object. The members from `op` on belong to a
/// collective. They are not set if no reference is counted: most operations name only predefined objects.
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
