#include <runtime/words/amounts.hpp>

#include <array>
#include <cstdio>

namespace mana::words {

namespace {

std::string with_unit(double value, int decimals, const char* unit) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f %s", decimals, value, unit);
  return text;
}

}  // namespace

std::string human_bytes(unsigned long long bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  if (unit == 0) return std::to_string(bytes) + " B";
  return with_unit(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, units[unit]);
}

std::string human_seconds(double seconds) {
  if (seconds < 0.9995) return with_unit(seconds * 1e3, 0, "ms");
  return with_unit(seconds, seconds < 9.995 ? 2 : 1, "s");
}

}  // namespace mana::words
