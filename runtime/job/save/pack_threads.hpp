// The number of threads with which a rank packs its image.
#pragma once

namespace mana::job {

/// out: the number that the user gives; else packing_share() of the node's cores. Called on the thread that will write.
///      MPI runs, and the program's threads are parked.
unsigned pack_threads();

}  // namespace mana::job
