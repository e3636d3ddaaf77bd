// The section "mpi": the program's MPI objects, for people. `mana inspect` shows it, so the command links this file
// too.
#include <runtime/job/sections/mpi.hpp>
#include <runtime/job/sections/sections.hpp>

#include <runtime/files/read_document.hpp>

#include <mana/lower/abi.hpp>
#include <mana/lower/inventory.hpp>
#include <mana/lower/signals.hpp>

namespace mana::job {

/// CBOR: a map of names to numbers. Valid once the upper half has drained.
std::vector<std::uint8_t> save_mpi(const gathered&) {
  nlohmann::json numbers = nlohmann::json::object();
  for (std::size_t i = 0; i < lower::inventory_names.size(); ++i)
    numbers[lower::inventory_names[i]] = lower::the_bridge().inventory[i];
  return nlohmann::json::to_cbor(numbers);
}

nlohmann::json decode_inventory(std::span<const std::uint8_t> bytes) { return files::read_document(bytes); }

}  // namespace mana::job
