// Shared memory that the program cannot write to now. The descriptor that it was mapped through decides whether the
// program may make it writable. That descriptor may be closed by now.
//
// INV-74 after a restart mprotect gives shared memory the protections that it would have been given before it, and no
// others
#pragma once
#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace mana::descriptors {

/// A complete entry of the kernel's list of mappings, shared and without PROT_WRITE.
struct protected_mapping {
  std::uintptr_t begin, end;
};

/// For each mapping that the kernel tells it about: its address, and whether it may be made writable.
nlohmann::json describe_protected(std::span<const protected_mapping> mappings);

/// in:  rows  as describe_protected() made them, or nothing, as in earlier images
/// out: nothing: not known
std::optional<bool> may_be_written(const nlohmann::json& rows, std::uintptr_t begin);

}  // namespace mana::descriptors
