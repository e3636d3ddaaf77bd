// The facts of an MPI function that a wrapper's template may ask for, and the vocabulary of the generated function tags
// (mana::fn::…).
#pragma once
#include <mana/core/kind.hpp>

#include <cstddef>
#include <tuple>

namespace mana {

enum class dir { in, out, inout };

/// The treatment of a function, which codegen/policy.toml chooses. Each shape except `manual` is one template in
/// interpose/.
enum class shape {
  manual,       // mana::manual::<id>(args…), written by hand
  collective,   // blocking collective on `comm`: counted by the clock, then the native call
  icollective,  // non-blocking collective: counted at its start, request virtualised
  pcollective,  // initialisation of a persistent collective: counted, its arguments kept for restarts
  forward,      // translated, called, nothing recorded (local functions of the lower half)
  refuse,       // an error by name, with the reason, through the error handler
};

/// Kinds of parameters that are not handles. A handle's kind is its mana::kind.
namespace kind {
struct buffer {};      // address of a message buffer; may be MPI_IN_PLACE
struct count {};       // number of elements, int or MPI_Count
struct displacement {};// of elements (int) or bytes (MPI_Aint, MPI_Count): passed unchanged
struct rank {};        // may be MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ROOT
struct tag {};         // may be MPI_ANY_TAG
struct status {};
struct weights {};     // of a graph's edges; may be MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY
struct integer {};     // any other plain value, passed unchanged
struct text {};        // char* of the standard's strings
struct address {};     // any other pointer, passed unchanged
struct callback {};    // function pointer
// Constants that differ between mpi.h, most of them of the tools interface.
struct thread_level {};
struct verbosity {};
struct bind_type {};
struct scope {};
struct pvar_class {};
struct split_type {};  // of communicators; may be MPI_UNDEFINED
}  // namespace kind

/// One parameter: its kind, its direction, and whether it is an array (the wrapper's template knows its length).
template <class Kind, dir Dir, bool Array = false>
struct param {
  using kind = Kind;
  static constexpr mana::dir direction = Dir;
  static constexpr bool is_array = Array;
};

/// When a blocking collective may return: at any time, only after all ranks have begun it, or that only where the count
/// is not 0.
enum class waits_for_all { no, always, when_count };

/// Facts in codegen/api beside the parameters.
struct function_facts {
  bool neighbours = false;   // a collective on a topology's neighbours, whose arrays have an entry for each neighbour
  bool tool = false;         // of the tools interface: it returns codes of that interface and calls no error handler
  waits_for_all waits = waits_for_all::no;
};

template <class... P>
struct param_list {
  static constexpr std::size_t size = sizeof...(P);
  using as_tuple = std::tuple<P...>;
};

}  // namespace mana
