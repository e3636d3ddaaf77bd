#include <runtime/job/nodes/clock_agreement.hpp>

#include <runtime/job/agreement.hpp>

#include <runtime/split/window/program_clocks.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace mana::job {

namespace {

using split::clock_offsets;
using split::continued_clocks;

clock_offsets greater(clock_offsets a, const clock_offsets& b) noexcept {
  for (std::size_t i = 0; i < std::size(a.clocks); ++i) a.clocks[i] = std::max(a.clocks[i], b.clocks[i]);
  a.ticks = std::max(a.ticks, b.ticks);
  return a;
}

}  // namespace

void continue_clocks_together() {
  const continued_clocks mine = split::clocks_to_continue();
  clock_offsets offsets = mine.least;
  for (const std::string& text : from_all({reinterpret_cast<const char*>(&mine), sizeof mine})) {
    continued_clocks other;
    std::memcpy(&other, text.data(), sizeof other);
    const bool one = other.known == mine.known && other.then == mine.then && other.now == mine.now;
    if (one) offsets = greater(offsets, other.least);
  }
  if (mine.known != 0) split::continue_clocks(offsets);
}

}  // namespace mana::job
