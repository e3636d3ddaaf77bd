// expect-error: no matching function|cannot convert|no viable|could not convert|no known conversion|invalid conversion|cannot initialize
#include <mana/gen/lower_slots.hpp>
int test(const mana::lower::mpi_slots& mpi, mana::real<mana::kind::comm> c) {
  mana::real<mana::kind::comm> made{};
  mana::real<mana::kind::request> request{};
#ifdef MUST_FAIL
  return mpi.MPI_Comm_dup(c, &request);
#endif
  (void)request;
  return mpi.MPI_Comm_dup(c, &made);
}
