#include <runtime/words/work_line.hpp>

#include <runtime/words/amounts.hpp>

#include <cstdio>

namespace mana::words {
namespace {

double share(const work_part& part) noexcept {
  return part.bytes == 0 ? 1 : static_cast<double>(part.done) / static_cast<double>(part.bytes);
}

std::string percent(const work_part& part) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share(part));
  return text;
}

/// nullptr: no part is under way.
const work_part* slowest_of(const std::vector<work_part>& parts) noexcept {
  const work_part* slowest = nullptr;
  for (const work_part& p : parts)
    if (p.done > 0 && p.done < p.bytes && (slowest == nullptr || share(p) < share(*slowest))) slowest = &p;
  return slowest;
}

}  // namespace

std::string work_line(const std::vector<work_part>& parts, double seconds) {
  work_part all;
  for (const work_part& p : parts) {
    all.bytes += p.bytes;
    all.done += p.done;
  }
  const double rate = seconds > 0 ? static_cast<double>(all.done) / seconds : 0;
  std::string line = percent(all) + " of " + human_bytes(all.bytes) + ", " + human_bytes(static_cast<unsigned long long>(rate)) + "/s";
  if (rate > 0) line += ", " + human_seconds(static_cast<double>(all.bytes - all.done) / rate) + " left";
  if (const work_part* const slowest = slowest_of(parts)) line += "; slowest: " + slowest->name + ", " + percent(*slowest);
  return line;
}

}  // namespace mana::words
