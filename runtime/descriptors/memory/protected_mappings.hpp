// Shared memory that the program cannot write to at the moment: whether it may make it writable is decided by the descriptor that it
// was mapped through, which may be closed by now.
//
// INV-74 after a restart mprotect gives shared memory the protections that it would have been given before it, and no others
#pragma once
#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace mana::descriptors {

/// A whole mapping of the kernel's list, shared and without PROT_WRITE.
struct protected_mapping {
  std::uintptr_t begin, end;
};

/// Of each mapping that the kernel tells it of: its address, and whether it may be made writable.
nlohmann::json describe_protected(std::span<const protected_mapping> mappings);

/// in:  rows  as describe_protected() made them, or nothing, as in earlier images
/// out: nothing: it is not known
std::optional<bool> may_be_written(const nlohmann::json& rows, std::uintptr_t begin);

}  // namespace mana::descriptors
