// The extension of Open MPI that has no profiling form.
#include <mana/calls.hpp>

#include <mpi-ext.h>

#pragma GCC visibility push(default)
extern "C" {

/// The binding of this process according to the live MPI: after a restart, on its present node.
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
