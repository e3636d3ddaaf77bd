// Functions for classes that list their members (`fields`, policy.hpp).
#pragma once
#include <tuple>
#include <type_traits>

namespace mana::clock {

template <class T>
concept with_fields = requires {
  std::tuple_size<std::remove_cvref_t<decltype(T::fields)>>::value;
};

/// Calls visit(member) for each, in order.
template <with_fields T, class Visit>
void for_each_field(T& object, Visit&& visit) {
  std::apply([&](auto... member) { (visit(object.*member), ...); }, std::remove_cvref_t<T>::fields);
}

/// Copies from's state to `to`. Members that are not listed stay: references to the object's surroundings.
template <with_fields T>
void copy_fields(const T& from, T& to) {
  std::apply([&](auto... member) { ((to.*member = from.*member), ...); }, T::fields);
}

}  // namespace mana::clock
