// An mpi.h declares what its version has: MANA_DECLARES_<name> for each function that it has, and types, taken from its
// own declaration. A version of the MPI standard tells neither: a library may have many functions of the next one.
#pragma once
#if __has_include(<mana/gen/declared.hpp>)      // of an MPI: the headers alone have none
#include <mana/gen/declared.hpp>
#endif

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace mana::call {

template <class Function>
struct declaration;
template <class R, class... P>
struct declaration<R(P...)> {
  using parameters = std::tuple<P...>;
};

/// Type of a function's parameter, in its declaration.
template <class Function, std::size_t Place>
using declared_parameter = std::tuple_element_t<Place, typename declaration<Function>::parameters>;

template <class Type, class Entry>
  requires(std::is_same_v<Type, Entry*> || std::is_same_v<Type, const Entry*>)
struct array_of {
  using type = Type;
};

/// An array of entries that the function reads: Entry* or const Entry*.
template <class Function, std::size_t Place, class Entry>
using declared_array = typename array_of<declared_parameter<Function, Place>, Entry>::type;

}  // namespace mana::call
