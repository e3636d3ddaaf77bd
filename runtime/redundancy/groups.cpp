#include <runtime/redundancy/groups.hpp>

#include <runtime/redundancy/redundancy_error.hpp>

#include <algorithm>
#include <map>
#include <numeric>

namespace mana::redundancy {
namespace {

std::vector<std::uint32_t> by_node(std::span<const std::string> node_of) {
  std::vector<std::uint32_t> ranks(node_of.size());
  std::iota(ranks.begin(), ranks.end(), 0u);
  std::stable_sort(ranks.begin(), ranks.end(), [&](auto a, auto b) { return node_of[a] < node_of[b]; });
  return ranks;
}

std::string list(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  for (const std::uint32_t rank : ranks) text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return text;
}

void warn_of(const group& of, std::span<const std::string> node_of, std::vector<std::string>& warnings) {
  std::map<std::string, std::vector<std::uint32_t>> on_node;
  for (const std::uint32_t rank : of.ranks) on_node[node_of[rank]].push_back(rank);
  for (const auto& [node, ranks] : on_node)
    if (ranks.size() > of.parity)
      warnings.push_back("losing node " + node + " loses " + std::to_string(ranks.size()) + " (ranks " + list(ranks) +
                         ") of the group of ranks " + list(of.ranks) + ", of which " + std::to_string(of.parity) +
                         " can be rebuilt");
}

}  // namespace

grouping make_groups(const scheme& code, std::span<const std::string> node_of) {
  const std::size_t count = node_of.size() / code.members();
  if (count == 0)
    throw redundancy_error(error_kind::usage, "redundancy " + code.text() + " needs at least " +
                                                  std::to_string(code.members()) + " ranks, there are " +
                                                  std::to_string(node_of.size()));
  grouping all;
  all.groups.resize(count);
  for (group& one : all.groups) one.parity = code.parity;
  // Ranks of one node are neighbours in this order, and neighbours go to different groups.
  const std::vector<std::uint32_t> ranks = by_node(node_of);
  for (std::size_t i = 0; i < ranks.size(); ++i) all.groups[i % count].ranks.push_back(ranks[i]);
  for (const group& one : all.groups) warn_of(one, node_of, all.warnings);
  return all;
}

}  // namespace mana::redundancy
