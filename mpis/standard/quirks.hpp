// Differences from the standard, or from other MPIs where the standard leaves a choice. Every family has all constants.
// A program of the standard ABI gets what the standard says. Of the live MPI, which may be any, each is expected to be as
// the least able of those known.
#pragma once

namespace mana::family {

/// A communicator without an error handler of its own uses the present one of MPI_COMM_WORLD.
inline constexpr bool unset_errhandler_is_of_world = false;

/// In MPI_Finalize, if a delete function of the world's attributes fails, the ones after it are not called.
inline constexpr bool failing_delete_ends_finalize = false;

/// The delete functions of MPI_COMM_WORLD's attributes find that MPI is finalized.
inline constexpr bool world_attributes_end_finalized = false;

/// MPI_Type_dup names the new datatype after the old one.
inline constexpr bool duplicates_are_named = false;

/// MPI_DOUBLE_INT and its like count as one element when MPI is asked about them (MPI-4.1 5.1.11).
inline constexpr bool pair_is_one_element = true;

/// MPI_Type_match_size finds MPI_REAL, MPI_INTEGER and MPI_COMPLEX before the types that say their size.
inline constexpr bool matches_default_kinds_first = false;

/// If a process that nobody launched asks for MPI_UNIVERSE_SIZE or MPI_APPNUM, it starts a launcher: MPICH does.
inline constexpr bool starts_launcher_to_ask = true;

/// A non-blocking collective on a communicator of one process sends itself messages among the program's: MPICH's do.
inline constexpr bool lone_collectives_send_to_program = true;

/// Bytes of an attached buffer that a buffered send takes besides its data. MPI_BSEND_OVERHEAD is 512, for any library. A program
/// may have found that its library takes fewer, so here it is what the one that takes the fewest takes.
inline constexpr int buffered_overhead = 96;

}  // namespace mana::family
