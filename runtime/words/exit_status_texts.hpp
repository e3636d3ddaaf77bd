// The texts of the table of exit statuses, which name the families of MPIs.
#pragma once
#include <runtime/words/exit_status.hpp>

#include <mana/gen/families.hpp>

namespace mana {

struct exit_status_row {
  exit_status status;
  const char* name;
  const char* meaning;
  const char* remedy;
};

#define MANA_ROW(name, number, meaning, remedy) {exit_status::name, #name, meaning, remedy},
inline constexpr exit_status_row exit_statuses[] = {MANA_EXIT_STATUSES(MANA_ROW)};
#undef MANA_ROW

/// Each number occurs once.
consteval bool statuses_ascend() {
  int last = -1;
  for (const exit_status_row& row : exit_statuses) {
    if (static_cast<int>(row.status) <= last) return false;
    last = static_cast<int>(row.status);
  }
  return true;
}
static_assert(statuses_ascend());

}  // namespace mana
