// The section "mpi" of an image, as `mana inspect` reads it.
#pragma once
#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>

namespace mana::job {

/// out: counts by name.  errors: std::exception if the bytes are no inventory
nlohmann::json decode_inventory(std::span<const std::uint8_t> bytes);

}  // namespace mana::job
