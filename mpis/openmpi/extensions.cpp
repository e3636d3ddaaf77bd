// Open MPI's extension that has no form for profiling.
#include <mana/calls.hpp>

#include <mpi-ext.h>

#pragma GCC visibility push(default)
extern "C" {

/// Where this process is bound, as the live MPI says it: after a restart, of the node that the process is on then.
int OMPI_Affinity_str(ompi_affinity_fmt_t format, char bound[OMPI_AFFINITY_STRING_MAX],
                      char current[OMPI_AFFINITY_STRING_MAX], char exists[OMPI_AFFINITY_STRING_MAX]) {
  using namespace mana;
  if (call::library().live != call::life::initialized) return MPI_ERR_OTHER;
  call::wrapper_scope scope(function_id::none);
  const lower::services& s = *lower::the_bridge().service;
  const int rc = lower::cross([&] { return s.affinity_text(static_cast<int>(format), bound, current, exists); });
  return rc == neutral::success ? MPI_SUCCESS : app::error_code(rc);
}

}
#pragma GCC visibility pop
