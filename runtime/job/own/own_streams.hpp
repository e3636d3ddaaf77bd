// The standard streams that the lower half's libraries have made unbuffered.
#pragma once
#include <cstdint>

namespace mana::job {

/// out: bit n is the stream with descriptor n; covers all calls of this process's lower half so far
std::uint32_t unbuffered_streams() noexcept;

}  // namespace mana::job
