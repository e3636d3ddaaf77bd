// expect-error: no matching function|cannot convert|no viable|could not convert|no known conversion
#include <mana/gen/lower_slots.hpp>
int test(const mana::lower::mpi_slots& mpi, mana::real<mana::kind::comm> c, mana::real<mana::kind::datatype> d) {
#ifdef MUST_FAIL
  return mpi.MPI_Bcast(nullptr, 0, c, 0, d);
#endif
  return mpi.MPI_Bcast(nullptr, 0, d, 0, c);
}
