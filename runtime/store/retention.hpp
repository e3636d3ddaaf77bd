// Finds the generations of a directory that are no longer needed. Knows nothing of files.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mana::store {

enum class generation_state {
  sound,            // complete, according to its manifest
  failed,           // complete, and a restart found it damaged
  damaged,          // its manifest is damaged
  incomplete,       // without a manifest, and nobody writes it; nodes may have images of it
  left_behind,      // the same, in a directory of which no node has images: it is worthless
  being_written,    // without a manifest yet
  unreadable,       // the system could not tell
};

struct kept_generation {
  std::uint64_t number = 0;
  generation_state state = generation_state::sound;
  std::vector<std::uint64_t> builds_on = {};      // generations that its images refer to
};

inline constexpr std::size_t keep_all = SIZE_MAX, kept_generations = 2 /* where nothing is said */, most_kept = 1000;

/// in: text  1 … most_kept, or "all"      errors: std::invalid_argument with words for the user
std::size_t parse_keep(const std::string& text);

/// INV-34 of the newest `keep` sound generations none is removed, nor a generation that their images refer to, directly
/// or not. An unreadable generation stays, does not count as one of the newest, and may refer to any generation before
/// it.
/// in:  generations  ascending
/// out: numbers, ascending. Generations older than the newest `keep` sound ones, incomplete ones before the newest
///      sound one, and all that were left behind: nothing refers to an incomplete generation
std::vector<std::uint64_t> superfluous(std::span<const kept_generation> generations, std::size_t keep);

}  // namespace mana::store
