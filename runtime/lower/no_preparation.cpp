// For families whose MPI starts as it is.
#include <runtime/lower/prepare_start.hpp>

namespace mana::real_mpi {

void prepare_start(int) {}

}  // namespace mana::real_mpi
