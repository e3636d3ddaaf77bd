#include <runtime/descriptors/memory/protected_mappings.hpp>

#include <sys/stat.h>

#include <cstdio>

using nlohmann::json;

namespace mana::descriptors {

/// The link has the mode of the open file behind the mapping.
json describe_protected(std::span<const protected_mapping> mappings) {
  json rows = json::array();
  for (const protected_mapping& m : mappings) {
    char name[80];
    std::snprintf(name, sizeof name, "/proc/self/map_files/%lx-%lx", static_cast<unsigned long>(m.begin),
                  static_cast<unsigned long>(m.end));
    struct stat link{};
    if (lstat(name, &link) == 0 && S_ISLNK(link.st_mode)) rows.push_back({m.begin, (link.st_mode & S_IWUSR) != 0});
  }
  return rows;
}

std::optional<bool> may_be_written(const json& rows, std::uintptr_t begin) {
  for (const json& row : rows)
    if (row.at(0).get<std::uintptr_t>() == begin) return row.at(1).get<bool>();
  return std::nullopt;
}

}  // namespace mana::descriptors
