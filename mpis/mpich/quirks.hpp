// In what MPICH differs from the standard, or from others where the standard leaves it open. Every family says all of these.
#pragma once

namespace mana::family {

/// A communicator that was given no error handler of its own, nor made from one that was, has the one that MPI_COMM_WORLD has
/// when the error comes; the standard: the one that that had when this was made.      versions: 4.0
inline constexpr bool unset_errhandler_is_of_world = true;

/// In MPI_Finalize, after a delete function of the world's attributes that fails, the others are called.      versions: 4.0
inline constexpr bool failing_delete_ends_finalize = false;

/// The delete functions of MPI_COMM_WORLD's attributes are told that MPI is finalized.      versions: none known
inline constexpr bool world_attributes_end_finalized = false;

/// MPI_Type_dup names the new datatype after the old one.      versions: none known
inline constexpr bool duplicates_are_named = false;

/// MPI_DOUBLE_INT and its like, where they are asked for themselves, are one element, as the standard has it of predefined
/// datatypes (MPI-4.1 5.1.11); here they are two.      versions: 4.0
inline constexpr bool pair_is_one_element = false;

/// MPI_Type_match_size finds MPI_REAL, MPI_INTEGER and MPI_COMPLEX before the types that say their size.
/// versions: none known
inline constexpr bool matches_default_kinds_first = false;

/// Asked for MPI_UNIVERSE_SIZE or MPI_APPNUM, a process that nobody launched starts an mpiexec, which may be another MPI's, and
/// waits for it.      versions: 4.0
inline constexpr bool starts_launcher_to_ask = true;

/// A non-blocking collective of a communicator of one process sends itself messages among those of the program: its 287th tag
/// and those after it are the numbers of the collectives begun there.      versions: 4.0.2
inline constexpr bool lone_collectives_send_to_program = true;

}  // namespace mana::family
