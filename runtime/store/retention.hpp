// Which generations of a directory are not needed any more. Knows nothing of files.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mana::store {

enum class generation_state {
  sound,            // complete, as far as its manifest tells
  failed,           // complete, and a restart found it damaged
  damaged,          // its manifest is
  incomplete,       // without a manifest, and nobody writes it; nodes may have images of it
  left_behind,      // the same, in a directory of which no node has images: it means nothing
  being_written,    // without one yet
  unreadable,       // the system could not say
};

struct kept_generation {
  std::uint64_t number = 0;
  generation_state state = generation_state::sound;
  std::vector<std::uint64_t> builds_on = {};      // generations that its images refer to
};

inline constexpr std::size_t keep_all = SIZE_MAX, kept_generations = 2 /* where nothing is said */, most_kept = 1000;

/// in: text  1 … most_kept, or "all"      errors: std::invalid_argument with words for the user
std::size_t parse_keep(const std::string& text);

/// INV-34 of the newest `keep` sound generations none is named, nor one that their images refer to, nor one that those of such a
/// one do, nor what might be one: what cannot be read counts as none of the newest, is not named, and may refer to any before it.
/// in:  generations  ascending
/// out: numbers, ascending: what is older than the newest `keep` sound ones; what was left incomplete before the newest sound
///      one; and what was left behind, wherever it is: nothing refers to what never was complete
std::vector<std::uint64_t> superfluous(std::span<const kept_generation> generations, std::size_t keep);

}  // namespace mana::store
