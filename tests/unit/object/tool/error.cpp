// The tools interface: its functions return codes of their own, and call no error handler.
#include <running_mpi.hpp>

namespace tool_error_tests {

using namespace mana;
using namespace mana::scripted;

TEST_CASE_FIXTURE(running_mpi, "an error of the live MPI's comes as MPI_T's own code, and no handler hears it") {
  int provided = 0, n = 0;
  expect<&mpi_slots::MPI_T_init_thread>().gives(neutral::err_t_cannot_init);
  CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_T_ERR_CANNOT_INIT);
  CHECK(MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(heard().empty());
}

}  // namespace tool_error_tests
