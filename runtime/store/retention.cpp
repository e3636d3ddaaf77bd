#include <runtime/store/retention.hpp>

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>

namespace mana::store {

namespace {

/// The generations that the kept ones refer to, directly or not: the rest of a chain must stay complete.
std::set<std::uint64_t> needed_by_kept(std::span<const kept_generation> generations, std::size_t keep) {
  std::set<std::uint64_t> needed;
  std::size_t sound = 0;
  for (auto g = generations.rbegin(); g != generations.rend(); ++g) {
    if (g->state != generation_state::sound) continue;
    if (sound++ < keep || needed.contains(g->number)) needed.insert(g->builds_on.begin(), g->builds_on.end());
  }
  return needed;
}

/// in: newer  number of newer generations that are sound
bool may_go(const kept_generation& g, std::size_t newer, std::size_t keep) {
  switch (g.state) {
    case generation_state::sound:
    case generation_state::failed:
    case generation_state::damaged: return newer >= keep;
    case generation_state::incomplete: return newer > 0;
    case generation_state::left_behind: return true;
    case generation_state::being_written:
    case generation_state::unreadable: return false;
  }
  return false;
}

}  // namespace

std::size_t parse_keep(const std::string& text) {
  if (text == "all") return keep_all;
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most_kept)
    throw std::invalid_argument("\"" + text + "\" is neither a number from 1 to " + std::to_string(most_kept) + " nor all");
  return value;
}

std::vector<std::uint64_t> superfluous(std::span<const kept_generation> generations, std::size_t keep) {
  const std::set<std::uint64_t> needed = needed_by_kept(generations, keep);
  std::vector<std::uint64_t> found;
  std::size_t newer = 0;
  for (auto g = generations.rbegin(); g != generations.rend(); ++g) {
    if (g->state == generation_state::unreadable) break;
    if (may_go(*g, newer, keep) && !needed.contains(g->number)) found.push_back(g->number);
    if (g->state == generation_state::sound) ++newer;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace mana::store
