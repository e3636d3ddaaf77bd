// By how many threads a rank packs its image.
#pragma once

namespace mana::job {

/// What the user wants; else packing_share() of the node's cores. On the thread that will write; MPI runs,
/// the program's threads are parked.
unsigned pack_threads();

}  // namespace mana::job
