// Start and end of the real MPI in this process.
#pragma once
#include <string>

namespace mana::real_mpi {

/// Starts MPI with at least the thread level `required` (0 SINGLE … 3 MULTIPLE), makes the runtime's communicators,
/// and fills bridge::world_size, world_rank and predefined_real.
/// out:    *provided: the level that this MPI gives
/// errors: neutral error class; MPI is then as MPI_Init_thread left it
int start(int required, int* provided);

/// Frees what start() made and ends MPI. Collective over all ranks. errors: neutral error class
int finish();

/// Predefined handles are known before MPI starts, and the tools interface shows some of them then.
void fill_predefined_handles() noexcept;

/// That it was started with. It runs.
int thread_level() noexcept;

/// True between a start() and a finish() that succeeded.
bool is_running() noexcept;

/// Ends all ranks with this exit status; does not return.
[[noreturn]] void abort(int exit_code);

/// MPI_Abort of the program, whether MPI runs or not.
[[noreturn]] void abort_as_program(int exit_code);

/// False in the lower half without MPI, of a job of one process: its program never comes to MPI_Init. Then start() and finish()
/// do nothing, and all that concerns all ranks is done by one.
bool is_an_mpi() noexcept;

/// "MPICH", "Open MPI", "no MPI": what a checkpoint is marked with.
std::string library_name();
/// Version of the library that is loaded, as it says itself: "4.0.2". Empty: there is none.
std::string library_version();

}  // namespace mana::real_mpi
