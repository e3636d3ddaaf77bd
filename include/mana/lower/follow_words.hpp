// How a process that runs without mana, started by one under mana, finds back: the tool puts it into the environment,
// the wrapper library reads it.
#pragma once

namespace mana::lower {

/// Its value: file of the tool, and the words of `mana follow` from the live MPI on, with separators between them.
inline constexpr char follow_variable[] = "MANA_FOLLOW";
inline constexpr char follow_separator = '\x1f';

}  // namespace mana::lower
