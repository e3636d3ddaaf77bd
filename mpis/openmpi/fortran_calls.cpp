// Fortran's functions that call C's and look behind no handle, in place of Open MPI's. fortran_names.S jumps to them.
#include <mana/mpis/openmpi/fortran_calls.hpp>
#include <mana/mpis/openmpi/fortran_lists.hpp>

#define MANA_FORTRAN(name, tag, in_c, ...)                                                         \
  extern const mana::fortran::in_fortran<mana::fn::tag, in_c, __VA_ARGS__>::function name;          \
  constinit const mana::fortran::in_fortran<mana::fn::tag, in_c, __VA_ARGS__>::function name =      \
      &mana::fortran::in_fortran<mana::fn::tag, in_c, __VA_ARGS__>::call<in_c>;
#define MANA_OF_MPIFH(lower, upper, mixed) \
  MANA_FORTRAN(mana_mpifh_##lower, lower, &PMPI_##mixed, mana::fortran::by_address)
#define MANA_OF_F08(lower, mixed, way) \
  MANA_FORTRAN(mana_f08_##lower, lower, &PMPI_##mixed, mana::fortran::by_descriptor, mana::fortran::flow::way)
#define MANA_LARGE_OF_F08(lower, mixed, way) \
  MANA_FORTRAN(mana_f08_##lower##_c, lower##_c, &PMPI_##mixed##_c, mana::fortran::by_descriptor, mana::fortran::flow::way)

extern "C" {

MANA_CALLS_OF_MPIFH(MANA_OF_MPIFH)
MANA_PERSISTENT_CALLS_OF_MPIFH(MANA_OF_MPIFH)
#if !defined(MANA_DECLARES_MPI_Alltoallw_init) && defined(MANA_DECLARES_MPIX_Alltoallw_init)
MANA_FORTRAN(mana_mpifh_alltoallw_init, alltoallw_init, &PMPIX_Alltoallw_init, mana::fortran::by_address)
#endif

MANA_SIZED_CALLS_OF_F08(MANA_OF_F08)
MANA_SMALL_CALLS_OF_F08(MANA_OF_F08)
MANA_LARGE_CALLS_OF_F08(MANA_LARGE_OF_F08)

}
