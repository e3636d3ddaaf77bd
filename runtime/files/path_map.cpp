#include <runtime/files/path_map.hpp>

#include <filesystem>

namespace mana::files {

namespace {

/// Removes repeated slashes, "." and "..", and a slash at the end.
std::string cleaned(std::string_view path) {
  std::string clean = std::filesystem::path(path).lexically_normal().string();
  clean.erase(0, clean.find_first_not_of('/') == std::string::npos ? clean.size() : clean.find_first_not_of('/') - 1);
  while (!clean.empty() && clean.back() == '/') clean.pop_back();
  return clean;
}

[[noreturn]] void refuse(std::string_view word, const char* why) {
  throw path_map_error("\"" + std::string(word) + "\": " + why);
}

bool leads(const std::string& from, const std::string& path) noexcept {
  return path.compare(0, from.size(), from) == 0 && (path.size() == from.size() || path[from.size()] == '/');
}

}  // namespace

void path_map::add(std::string_view word) {
  const std::size_t sign = word.find('=');
  if (sign == std::string_view::npos) refuse(word, "no = between the old path and the new one");
  if (word.substr(0, sign).empty()) refuse(word, "the old path is empty");
  if (word.front() != '/') refuse(word, "the old path does not begin with /");
  if (sign + 1 == word.size()) refuse(word, "the new path is empty");
  const std::size_t middle = word.find("=/");
  if (middle == std::string_view::npos) refuse(word, "the new path does not begin with /");
  rule wanted{cleaned(word.substr(0, middle)), cleaned(word.substr(middle + 1))};
  for (const rule& r : rules_) {
    if (r.from != wanted.from) continue;
    if (r.to != wanted.to) refuse(word, ("this path already moves to " + (r.to.empty() ? "/" : r.to)).c_str());
    return;
  }
  rules_.push_back(std::move(wanted));
}

std::string path_map::operator()(const std::string& path) const {
  if (path.empty() || path[0] != '/') return path;
  const rule* best = nullptr;
  for (const rule& r : rules_)
    if (leads(r.from, path) && (best == nullptr || r.from.size() > best->from.size())) best = &r;
  if (best == nullptr) return path;
  const std::string now = best->to + (path == "/" ? "" : path.substr(best->from.size()));
  return now.empty() ? "/" : now;
}

}  // namespace mana::files
