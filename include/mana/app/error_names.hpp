// Names of the neutral error classes, for messages that must be readable even without an MPI library.
#pragma once
#include <mana/lower/neutral.hpp>

namespace mana::app {

/// out: MPI_ERR_…, MPI_SUCCESS, or "an unknown error"
inline const char* error_class_name(int neutral_class) noexcept {
  for (const neutral::error_class_row& row : neutral::error_classes)
    if (row.code == neutral_class) return row.name;
  return "an unknown error";
}

}  // namespace mana::app
