#include <runtime/store/nodes/local_choice.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace mana::store {

namespace {

using attempt = std::pair<std::uint64_t, std::uint64_t>;             // generation, nonce
using holders_by_rank = std::map<std::uint32_t, std::set<std::string>>;

std::string name_of(const attempt& which) { return "local generation " + std::to_string(which.first); }

/// Empty if no image is missing.
std::string what_is_missing(const holders_by_rank& found, std::uint32_t ranks) {
  std::uint32_t missing = 0, first = 0;
  for (std::uint32_t rank = ranks; rank-- > 0;)
    if (!found.contains(rank)) {
      ++missing;
      first = rank;
    }
  if (missing == 0) return {};
  const std::string one = "no node has the image of rank " + std::to_string(first);
  return missing == 1 ? one : one + " and of " + std::to_string(missing - 1) + " more";
}

local_line as_line(const attempt& which, const holders_by_rank& found) {
  local_line line{which.first, which.second, {}};
  for (const auto& [rank, nodes] : found) line.holders.emplace_back(nodes.begin(), nodes.end());
  return line;
}

}  // namespace

local_lines complete_lines(std::span<const held_image> images, std::uint32_t ranks, std::uint64_t at_least) {
  std::map<attempt, holders_by_rank, std::greater<>> attempts;
  std::map<attempt, std::uint32_t> of_other_jobs;
  for (const held_image& i : images) {
    const attempt which{i.generation, i.nonce};
    if (i.ranks != ranks || i.rank >= ranks) of_other_jobs[which] = i.ranks;
    attempts[which][i.rank].insert(i.node);
  }
  local_lines result;
  for (const auto& [which, found] : attempts) {
    if (which.first < at_least) break;
    const auto other = of_other_jobs.find(which);
    const std::string missing = other == of_other_jobs.end() ? what_is_missing(found, ranks)
        : "it belongs to a job of " + std::to_string(other->second) + " ranks, this one has " + std::to_string(ranks);
    if (missing.empty()) result.complete.push_back(as_line(which, found));
    else result.passed_over.push_back(name_of(which) + ": " + missing);
  }
  return result;
}

const std::string& holder_for(const local_line& line, std::uint32_t rank, const std::string& node) {
  const std::vector<std::string>& nodes = line.holders.at(rank);
  const auto own = std::find(nodes.begin(), nodes.end(), node);
  return own == nodes.end() ? nodes.front() : *own;
}

std::vector<std::uint64_t> superfluous_local(std::span<const own_image> images, std::span<const std::uint64_t> of_all,
                                             std::uint64_t newest_local, std::uint64_t newest_global) {
  std::vector<const own_image*> newest_first;
  for (const own_image& i : images) newest_first.push_back(&i);
  std::sort(newest_first.begin(), newest_first.end(), [](auto* a, auto* b) { return a->generation > b->generation; });
  const std::uint64_t newest = std::max(newest_local, newest_global);
  std::set<std::uint64_t> needed(of_all.begin(), of_all.end());
  std::vector<std::uint64_t> found;
  for (const own_image* i : newest_first) {
    const bool stays = i->generation >= newest || (i->is_global ? i->generation >= newest_global
                                                                : needed.contains(i->generation));
    if (stays) needed.insert(i->builds_on.begin(), i->builds_on.end());
    else found.push_back(i->generation);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace mana::store
