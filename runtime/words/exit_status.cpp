#include <runtime/words/exit_status_texts.hpp>

#include <string_view>

namespace mana {

const char* remedy_of_all(exit_status status) noexcept {
  for (const exit_status_row& row : exit_statuses)
    if (row.status == status && std::string_view(row.remedy).ends_with(MANA_REPORT_IT)) return row.remedy;
  return "";
}

}  // namespace mana
