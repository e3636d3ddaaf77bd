// Values that the process and its threads had from their launcher.
#pragma once
#include <runtime/process_state/attribute.hpp>

namespace mana::process_state {

struct given_values {
  attribute_values thread, process, limits;
};
given_values& given() noexcept;
given_values read_given();

/// Attributes in the restarted image: the program has changed them before.
struct changed_names {
  std::set<std::string> process, limits;
};
changed_names& changed_before() noexcept;

}  // namespace mana::process_state
