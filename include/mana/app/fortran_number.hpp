// A predefined handle and its number in Fortran, for an mpi.h whose handles are no integers.
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

/// All predefined handles of the kind of `Handle`; empty if handles are their own numbers. The null handle is last for
/// communicators, first for other kinds. A family's abi.hpp has overloads. Only the argument's type counts.
template <class Handle>
std::span<const app::numbered<Handle>> fortran_numbers(Handle) noexcept { return {}; }

}  // namespace mana::family
