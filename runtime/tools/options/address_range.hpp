// A range of addresses.
#pragma once
#include <cstdint>

namespace mana::tools {

struct address_range {
  std::uintptr_t begin = 0, end = 0;
  std::uint64_t bytes() const noexcept { return end - begin; }
};

}  // namespace mana::tools
