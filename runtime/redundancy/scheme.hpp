// The strength of the protection: K blocks of data, M of parity.
#pragma once
#include <string>
#include <string_view>

namespace mana::redundancy {

inline constexpr unsigned most_data = 32;
inline constexpr unsigned most_parity = 8;

/// Any `parity` of `data + parity` members may be lost. 1+1 is a copy at a partner.
struct scheme {
  unsigned data = 0;
  unsigned parity = 0;

  /// in:     text  "K+M", decimal, 1 <= K <= most_data, 1 <= M <= most_parity
  /// errors: redundancy_error (usage) names the error
  static scheme parse(std::string_view text);
  std::string text() const { return std::to_string(data) + "+" + std::to_string(parity); }
  unsigned members() const noexcept { return data + parity; }
  bool operator==(const scheme&) const = default;
};

}  // namespace mana::redundancy
