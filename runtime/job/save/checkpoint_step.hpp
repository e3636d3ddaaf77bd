// This rank's part of a checkpoint besides MPI: it writes its image and takes part in the commit.
#pragma once
#include <mana/lower/abi.hpp>

namespace mana::job {

/// Services of the boundary; see their members there.
lower::outcome write_image();
void release(lower::outcome how);

}  // namespace mana::job
