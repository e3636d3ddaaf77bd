// Images on a node whose restart showed that they are damaged: rank-RRRRR.failed beside them says when, and why.
#pragma once
#include <runtime/files/own_directory.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace mana::store {

/// Of the file beside rank_file_name(rank).
std::string local_failure_name(std::uint32_t rank);

/// in:     own  a generation's directory on a node
/// out:    why the rank's image there is not restarted again     errors: image_error (not_own, io)
std::optional<std::string> local_failure_of(const files::own_directory& own, std::uint32_t rank);

/// Never throws: where it cannot be marked, the next restart comes to the same end.
/// in: directory  of a node, as local_store has it
void mark_local_failed(const std::string& directory, std::uint64_t generation, std::uint32_t rank,
                       const std::string& why) noexcept;

}  // namespace mana::store
