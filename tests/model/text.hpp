// Messages of any policy, for people: their type's name and their fields.
#pragma once
#include "program.hpp"

#include <mana/clock/policy.hpp>

#include <cxxabi.h>

#include <cstdlib>
#include <typeinfo>
#include <variant>

namespace clock_model {

/// The type's name without what it is in.
template <class T>
std::string name_of_type() {
  char* full = abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, nullptr);
  const std::string name = full;
  std::free(full);
  const std::size_t at = name.rfind("::");
  return at == std::string::npos ? name : name.substr(at + 2);
}

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_same_v<T, mana::clock::group_name>) {
    return name_of_group(static_cast<int>(value.ggid) - 1);
  } else if constexpr (std::is_same_v<T, mana::clock::group_count>) {
    return text_of(value.name) + "=" + std::to_string(value.count);
  } else if constexpr (std::is_same_v<T, mana::clock::rank_set>) {
    std::string ranks;
    for (const int r : value) ranks += (ranks.empty() ? "" : " ") + std::to_string(r);
    return "[" + ranks + "]";
  } else if constexpr (requires { std::variant_size<T>::value; }) {
    return std::visit([](const auto& m) { return text_of(m); }, value);
  } else if constexpr (mana::clock::with_fields<T>) {
    std::string fields;
    mana::clock::for_each_field(value, [&](const auto& f) { fields += (fields.empty() ? "" : ", ") + text_of(f); });
    return name_of_type<T>() + (fields.empty() ? "" : "(" + fields + ")");
  } else {
    std::string list;
    for (const auto& one : value) list += (list.empty() ? "" : " ") + text_of(one);
    return "[" + list + "]";
  }
}

}  // namespace clock_model
