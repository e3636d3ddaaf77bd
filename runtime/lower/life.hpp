// Start and end of the real MPI in this process.
#pragma once
#include <string>

namespace mana::real_mpi {

/// Starts MPI with at least the thread level `required` (0 SINGLE … 3 MULTIPLE), makes the runtime's communicators,
/// and fills bridge::world_size, world_rank and predefined_real.
/// out:    *provided: the level that this MPI gives
/// errors: neutral error class; MPI is then in the state that MPI_Init_thread left
int start(int required, int* provided);

/// Frees what start() made and ends MPI. Collective over all ranks. errors: neutral error class
int finish();

/// Predefined handles are known before MPI starts; the tools interface shows some of them then.
void fill_predefined_handles() noexcept;

/// The level that MPI started with. MPI must run.
int thread_level() noexcept;

/// True after a successful start() and before a successful finish().
bool is_running() noexcept;

/// Ends all ranks with this exit status; does not return.
[[noreturn]] void abort(int exit_code);

/// The program's MPI_Abort, whether MPI runs or not.
[[noreturn]] void abort_as_program(int exit_code);

/// False in the lower half without MPI, in a job of one process: its program never calls MPI_Init. Then start() and
/// finish() do nothing, and work of all ranks is done by one.
bool is_an_mpi() noexcept;

/// "MPICH", "Open MPI", "no MPI": a checkpoint is marked with this.
std::string library_name();
/// Version of the loaded library, in its own words: "4.0.2". Empty: no library.
std::string library_version();

}  // namespace mana::real_mpi
