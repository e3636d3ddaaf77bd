// System V segments that still exist at a restart, because nobody removed them: they are attached again by their ids.
#pragma once
#include <nlohmann/json.hpp>

#include <cstdint>

namespace mana::descriptors {

/// Facts that distinguish this segment from a later one with the same id. Null: the segment ends with its last user, or
/// is missing.
/// in: bytes  of the mapping that shows the segment from its begin
nlohmann::json describe_segment(int id, std::uint64_t bytes);

/// The id of the described segment if it still exists and this process may write to it; else -1.
int find_segment(const nlohmann::json& described) noexcept;

/// Fills the segment with zeros, as new memory: its contents are later than the checkpoint. False: impossible.
bool clear_segment(int id) noexcept;

}  // namespace mana::descriptors
