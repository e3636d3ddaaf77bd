// Ranks and hubs are int; what they index is counted in std::size_t.
#pragma once
#include <cstddef>

namespace clock_model {

inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace clock_model
