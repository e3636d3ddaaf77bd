// Open MPI's differences from the standard, or from other MPIs where the standard leaves a choice. Every family has all
// constants.
#pragma once

namespace mana::family {

/// A communicator without an error handler of its own uses the present one of MPI_COMM_WORLD.
/// versions: none known
inline constexpr bool unset_errhandler_is_of_world = false;

/// In MPI_Finalize, if a delete function of the world's attributes fails, the ones after it are not called.
/// versions: 4.1
inline constexpr bool failing_delete_ends_finalize = true;

/// The delete functions of MPI_COMM_WORLD's attributes find that MPI is finalized.      versions: 4.1
inline constexpr bool world_attributes_end_finalized = true;

/// MPI_Type_dup names the new datatype after the old one.      versions: 4.1
inline constexpr bool duplicates_are_named = true;

/// MPI_DOUBLE_INT and its like count as one element when MPI is asked about them (MPI-4.1 5.1.11).
inline constexpr bool pair_is_one_element = true;

/// MPI_Type_match_size finds MPI_REAL, MPI_INTEGER and MPI_COMPLEX before the types that say their size.
/// versions: 4.1
inline constexpr bool matches_default_kinds_first = true;

/// If a process that nobody launched asks for MPI_UNIVERSE_SIZE or MPI_APPNUM, it starts a launcher.      versions:
/// none known
inline constexpr bool starts_launcher_to_ask = false;

/// A non-blocking collective on a communicator of one process sends itself messages among the program's.
/// versions: none known
inline constexpr bool lone_collectives_send_to_program = false;

/// Bytes of an attached buffer that a buffered send takes besides its data.      versions: 4.1
inline constexpr int buffered_overhead = 128;

}  // namespace mana::family
