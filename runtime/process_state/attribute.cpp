#include "attribute.hpp"

namespace mana::process_state {

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
