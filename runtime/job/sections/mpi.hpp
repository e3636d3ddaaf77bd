// The section "mpi" of an image: what the program holds of MPI's, for people.
#pragma once
#include <cstdint>
#include <vector>

namespace mana::job {

/// CBOR: a map of names to numbers. Valid once the upper half has drained.
std::vector<std::uint8_t> encoded_inventory();

}  // namespace mana::job
