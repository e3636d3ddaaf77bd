// MPICH's differences from the standard, or from other MPIs where the standard leaves a choice. Every family has all
// constants.
#pragma once

namespace mana::family {

/// A communicator without an error handler of its own, and not made from one that has its own, uses the present one of
/// MPI_COMM_WORLD. The standard: the one that MPI_COMM_WORLD had when the communicator was made. A window without one uses it
/// too. The standard: MPI_ERRORS_ARE_FATAL.      versions: 4.0
inline constexpr bool unset_errhandler_is_of_world = true;

/// In MPI_Finalize, if a delete function of the world's attributes fails, the others are still called.      versions:
/// 4.0
inline constexpr bool failing_delete_ends_finalize = false;

/// The delete functions of MPI_COMM_WORLD's attributes find that MPI is finalized.      versions: none known
inline constexpr bool world_attributes_end_finalized = false;

/// MPI_Type_dup names the new datatype after the old one.      versions: none known
inline constexpr bool duplicates_are_named = false;

/// MPI_DOUBLE_INT and its like count as one element when MPI is asked about them, as the standard says of predefined
/// datatypes (MPI-4.1 5.1.11); here they count as two.      versions: 4.0
inline constexpr bool pair_is_one_element = false;

/// MPI_Type_match_size finds MPI_REAL, MPI_INTEGER and MPI_COMPLEX before the types that say their size.
/// versions: none known
inline constexpr bool matches_default_kinds_first = false;

/// If a process that nobody launched asks for MPI_UNIVERSE_SIZE or MPI_APPNUM, it starts an mpiexec, which may be
/// another MPI's, and waits for it.      versions: 4.0
inline constexpr bool starts_launcher_to_ask = true;

/// A non-blocking collective on a communicator of one process sends itself messages among the program's. From its 287th
/// on, the tags are the numbers of the collectives begun there.      versions: 4.0.2
inline constexpr bool lone_collectives_send_to_program = true;

/// Bytes of an attached buffer that a buffered send takes besides its data.      versions: 4.0
inline constexpr int buffered_overhead = 96;

}  // namespace mana::family
