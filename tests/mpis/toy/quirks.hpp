// In what the toy differs from the standard, or from others where the standard leaves it open. Every family says all of these.
#pragma once

namespace mana::family {

inline constexpr bool unset_errhandler_is_of_world = false;
inline constexpr bool failing_delete_ends_finalize = false;
inline constexpr bool world_attributes_end_finalized = false;
inline constexpr bool duplicates_are_named = false;
inline constexpr bool pair_is_one_element = true;
inline constexpr bool matches_default_kinds_first = false;
inline constexpr bool starts_launcher_to_ask = false;
inline constexpr bool lone_collectives_send_to_program = false;
inline constexpr int buffered_overhead = 128;

}  // namespace mana::family
