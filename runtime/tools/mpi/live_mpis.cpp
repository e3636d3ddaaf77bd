#include <runtime/tools/mpi/live_mpis.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

namespace mana::tools {
namespace {

constexpr std::string_view prefix = "mana-lower-", suffix = ".json";

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::optional<live_mpi> parse_live_mpi(const std::string& text) {
  const auto document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object()) return std::nullopt;
  const auto word = [&](const char* key) {
    const auto found = document.find(key);
    return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const std::string family = word("family");
  for (const mpi_family& known : mpi_families)
    if (family == known.name && !word("name").empty())
      return live_mpi{word("name"), known.id, word("version"), word("launcher"), word("place"), word("compiler"), word("mana")};
  return std::nullopt;
}

std::vector<live_mpi> read_live_mpis(const std::filesystem::path& directory) {
  std::vector<live_mpi> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    auto found = parse_live_mpi(read_text(entry.path()));
    if (!found || name != fmt::format("{}{}{}", prefix, found->name, suffix)) continue;
    found->lower_half = directory / fmt::format("{}{}", prefix, found->name);
    all.push_back(std::move(*found));
  }
  std::ranges::sort(all, {}, &live_mpi::name);
  return all;
}

std::vector<live_mpi> joined(std::vector<live_mpi> first, std::vector<live_mpi> second) {
  for (live_mpi& other : second) {
    const auto same = std::ranges::find(first, other.name, &live_mpi::name);
    if (same == first.end()) first.push_back(std::move(other));
    else same->hidden.push_back(other.lower_half);
  }
  std::ranges::sort(first, {}, &live_mpi::name);
  return first;
}

const live_mpi* find_live_mpi(const std::vector<live_mpi>& all, std::string_view name) noexcept {
  const auto found = std::ranges::find(all, name, &live_mpi::name);
  return found != all.end() ? &*found : nullptr;
}

std::string names_of(const std::vector<live_mpi>& all) {
  std::vector<std::string_view> names;
  for (const live_mpi& one : all) names.emplace_back(one.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace mana::tools
