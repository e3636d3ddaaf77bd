#include <runtime/process_state/attribute.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <charconv>

namespace mana::process_state {

words number_in(const char* file) {
  const int fd = open(file, O_RDONLY | O_CLOEXEC);
  char text[24] = "";
  const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
  if (fd >= 0) close(fd);
  std::int64_t value = 0;
  if (n <= 0 || std::from_chars(text, text + n, value).ec != std::errc()) return {};
  return {static_cast<std::uint64_t>(value)};
}

bool put_number(const char* file, const words& value) {
  const std::string text = std::to_string(static_cast<std::int64_t>(at(value, 0)));
  const int fd = open(file, O_WRONLY | O_CLOEXEC);
  const bool done = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (fd >= 0) close(fd);
  return done;
}

attribute_values read_all(std::span<const attribute> table) {
  attribute_values all;
  for (const attribute& a : table)
    if (words value = a.read(); !value.empty()) all.emplace(a.name, std::move(value));
  return all;
}

attribute_values changed(const attribute_values& now, const attribute_values& given,
                         const std::set<std::string>& before) {
  attribute_values found;
  for (const auto& [name, value] : now) {
    const auto was = given.find(name);
    if (was == given.end() || was->second != value || before.contains(name)) found.emplace(name, value);
  }
  return found;
}

std::vector<std::string> write_all(std::span<const attribute> table, const attribute_values& wanted) {
  std::vector<std::string> refused;
  for (const attribute& a : table) {
    const auto value = wanted.find(a.name);
    if (value == wanted.end() || a.read() == value->second) continue;
    if (!a.write(value->second)) refused.emplace_back(a.what);
  }
  return refused;
}

}  // namespace mana::process_state
