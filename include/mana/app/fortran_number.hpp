// A predefined handle and its number in Fortran, where mpi.h's handles are no integers.
#pragma once
#include <span>

namespace mana::app {

template <class Handle>
struct numbered {
  int number;
  Handle handle;
};

}  // namespace mana::app

namespace mana::family {

/// All of the kind that `Handle` is of, the null handle of communicators last, of the others first; none where handles are their
/// own numbers. A family's abi.hpp has overloads. Only the argument's type is looked at.
template <class Handle>
std::span<const app::numbered<Handle>> fortran_numbers(Handle) noexcept { return {}; }

}  // namespace mana::family
