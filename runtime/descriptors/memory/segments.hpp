// System V segments that are still there at a restart, because nobody removed them: they are attached again, by their ids.
#pragma once
#include <nlohmann/json.hpp>

#include <cstdint>

namespace mana::descriptors {

/// What tells the segment of this id from a later one with the same id; null if it goes with its last user, or is none.
/// in: bytes  of the mapping that shows it from its begin
nlohmann::json describe_segment(int id, std::uint64_t bytes);

/// The id of the described segment if it is still there and this process may write to it; else -1.
int find_segment(const nlohmann::json& described) noexcept;

/// Makes the segment zeros, as new memory is: what it holds is of a time after the checkpoint. False if that cannot be.
bool clear_segment(int id) noexcept;

}  // namespace mana::descriptors
