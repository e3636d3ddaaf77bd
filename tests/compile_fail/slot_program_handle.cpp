// expect-error: no matching function|cannot convert|no viable|could not convert|no known conversion
#include <mana/gen/lower_slots.hpp>
int test(const mana::lower::mpi_slots& mpi, mana::real<mana::kind::comm> r, int program_handle) {
#ifdef MUST_FAIL
  return mpi.MPI_Barrier(program_handle);
#endif
  (void)program_handle;
  return mpi.MPI_Barrier(r);
}
