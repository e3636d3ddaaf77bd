// expect-error: no matching function|cannot convert|no viable|could not convert|no known conversion|invalid conversion|cannot initialize
#include <mana/gen/lower_slots.hpp>
using datatype = mana::real<mana::kind::datatype>;
int test(const mana::lower::mpi_slots& mpi, mana::real<mana::kind::comm> c, const datatype* types, const unsigned long* bits) {
#ifdef MUST_FAIL
  return mpi.MPI_Alltoallw(nullptr, nullptr, nullptr, bits, nullptr, nullptr, nullptr, types, c);
#endif
  (void)bits;
  return mpi.MPI_Alltoallw(nullptr, nullptr, nullptr, types, nullptr, nullptr, nullptr, types, c);
}
