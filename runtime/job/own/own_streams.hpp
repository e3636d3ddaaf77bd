// Which standard streams the lower half's libraries have made unbuffered.
#pragma once
#include <cstdint>

namespace mana::job {

/// Bit n: the stream with the descriptor n. All calls of this process's lower half until now.
std::uint32_t unbuffered_streams() noexcept;

}  // namespace mana::job
