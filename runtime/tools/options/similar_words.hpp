// Words that a user may have meant.
#pragma once
#include <string>
#include <vector>

namespace mana::tools {

/// out: those of `words` that contain `word`, or that differ from it in few letters; the most similar first
std::vector<std::string> similar_words(const std::string& word, const std::vector<std::string>& words);

}  // namespace mana::tools
