// expect-error: no matching function|cannot convert|no viable|could not convert|no known conversion
#include <mana/gen/lower_slots.hpp>
int test(const mana::lower::mpi_slots& mpi, mana::real<mana::kind::comm> r, mana::virt<mana::kind::comm> v) {
#ifdef MUST_FAIL
  return mpi.MPI_Barrier(v);
#endif
  (void)v;
  return mpi.MPI_Barrier(r);
}
