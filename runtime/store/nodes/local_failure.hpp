// Marks of images on a node that a restart found damaged: rank-RRRRR.failed beside the image says when, and why.
#pragma once
#include <runtime/files/own_directory.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace mana::store {

/// The name of the file beside rank_file_name(rank).
std::string local_failure_name(std::uint32_t rank);

/// in:     own  a generation's directory on a node
/// out:    why the rank's image there must not be restarted again     errors: image_error (not_own, io)
std::optional<std::string> local_failure_of(const files::own_directory& own, std::uint32_t rank);

/// Never throws. If the mark cannot be written, the next restart fails in the same way.
/// in: directory  of a node, as for local_store
void mark_local_failed(const std::string& directory, std::uint64_t generation, std::uint32_t rank,
                       const std::string& why) noexcept;

}  // namespace mana::store
