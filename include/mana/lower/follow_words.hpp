// The environment variable by which a process without mana, started by one under mana, finds mana again. The tool sets
// it, the wrapper library reads it.
#pragma once

namespace mana::lower {

/// Its value: the tool's file and the arguments of `mana follow` from the live MPI on, with separators between them.
inline constexpr char follow_variable[] = "MANA_FOLLOW";
inline constexpr char follow_separator = '\x1f';

}  // namespace mana::lower
