// expect-error: no matching function|cannot convert|no viable|could not convert|no known conversion
#include <mana/gen/lower_slots.hpp>
int test(const mana::lower::mpi_slots& mpi, mana::real<mana::kind::pvar_session> s, mana::real<mana::kind::pvar> v) {
#ifdef MUST_FAIL
  return mpi.MPI_T_pvar_start(v, s);
#endif
  return mpi.MPI_T_pvar_start(s, v);
}
