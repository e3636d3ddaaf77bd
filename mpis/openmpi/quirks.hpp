// In what Open MPI differs from the standard, or from others where the standard leaves it open. Every family says all of these.
#pragma once

namespace mana::family {

/// A communicator that was given no error handler of its own has the one that MPI_COMM_WORLD has when the error comes.
/// versions: none known
inline constexpr bool unset_errhandler_is_of_world = false;

/// In MPI_Finalize, a delete function of the world's attributes that fails keeps those after it from being called.
/// versions: 4.1
inline constexpr bool failing_delete_ends_finalize = true;

/// The delete functions of MPI_COMM_WORLD's attributes are told that MPI is finalized.      versions: 4.1
inline constexpr bool world_attributes_end_finalized = true;

/// MPI_Type_dup names the new datatype after the old one.      versions: 4.1
inline constexpr bool duplicates_are_named = true;

/// MPI_DOUBLE_INT and its like, where they are asked for themselves, are one element (MPI-4.1 5.1.11).
inline constexpr bool pair_is_one_element = true;

/// MPI_Type_match_size finds MPI_REAL, MPI_INTEGER and MPI_COMPLEX before the types that say their size.
/// versions: 4.1
inline constexpr bool matches_default_kinds_first = true;

/// Asked for MPI_UNIVERSE_SIZE or MPI_APPNUM, a process that nobody launched starts a launcher.      versions: none known
inline constexpr bool starts_launcher_to_ask = false;

/// A non-blocking collective of a communicator of one process sends itself messages among those of the program.
/// versions: none known
inline constexpr bool lone_collectives_send_to_program = false;

}  // namespace mana::family
