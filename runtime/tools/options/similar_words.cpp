#include <runtime/tools/options/similar_words.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace mana::tools {
namespace {

/// Levenshtein distance: insertions, deletions and replacements that turn one word into the other.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> similar_words(const std::string& word, const std::vector<std::string>& words) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& other : words) {
    const std::size_t few = std::max<std::size_t>(2, word.size() / 3), d = distance(word, other);
    if (d <= few) found.emplace_back(d, other);
    else if (word.size() >= 3 && other.find(word) != std::string::npos) found.emplace_back(few + 1, other);
  }
  std::ranges::sort(found);
  std::vector<std::string> similar;
  for (auto& [d, other] : found) similar.push_back(std::move(other));
  return similar;
}

}  // namespace mana::tools
