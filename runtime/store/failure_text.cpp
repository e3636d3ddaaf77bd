#include <runtime/store/failure_text.hpp>

#include <ctime>

namespace mana::store {

void write_failure(const files::own_directory& own, const std::string& name, const std::string& why) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  char when[32] = "";
  if (gmtime_r(&now, &utc) != nullptr) std::strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ ", &utc);
  own.write_file(name, when + why + "\n");
  own.sync();
}

std::optional<std::string> read_failure(const files::own_directory& own, const std::string& name) {
  constexpr std::uint64_t most_bytes = 1u << 20;
  try {
    if (!own.has(name)) return std::nullopt;
    std::string text = own.read_file(name, most_bytes);
    while (text.ends_with('\n')) text.pop_back();
    return text;
  } catch (const files::image_error& error) {
    if (error.kind() == files::error_kind::missing) return std::nullopt;      // removed meanwhile
    if (error.kind() == files::error_kind::damaged) return "";                // it is marked, whatever the text
    throw;
  }
}

}  // namespace mana::store
