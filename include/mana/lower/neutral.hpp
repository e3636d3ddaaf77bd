// Data that crosses the boundary between the halves: neutral values (values.hpp), which each half converts from and to
// its own mpi.h at compile time, and statuses. Frozen with the layout's major version.
#pragma once
#include <mana/lower/values.hpp>

#include <cstdint>

namespace mana::neutral {

/// Status as it crosses the boundary. count_bytes: received bytes; cancelled: 0 or 1.
struct status {
  std::int32_t source, tag, error, cancelled;
  std::int64_t count_bytes;
};
static_assert(sizeof(status) == 24);

/// Neutral codes of predefined handles lie below this; they index bridge::predefined_real.
inline constexpr std::uint32_t predefined_limit = 0x400;

/// The rank and the tag of a message, an operation or a status.
struct envelope {
  int rank, tag;
};

/// A negative number that means nothing in an mpi.h crosses the boundary reduced by this offset, so that it means
/// nothing there either.
inline constexpr int meaningless = 16;

}  // namespace mana::neutral
