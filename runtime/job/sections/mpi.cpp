#include <runtime/job/sections/mpi.hpp>

#include <mana/lower/abi.hpp>
#include <mana/lower/inventory.hpp>
#include <mana/lower/signals.hpp>

#include <nlohmann/json.hpp>

namespace mana::job {

std::vector<std::uint8_t> encoded_inventory() {
  nlohmann::json numbers = nlohmann::json::object();
  for (std::size_t i = 0; i < lower::inventory_names.size(); ++i)
    numbers[lower::inventory_names[i]] = lower::the_bridge().inventory[i];
  return nlohmann::json::to_cbor(numbers);
}

}  // namespace mana::job
