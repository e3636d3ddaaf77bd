// Prints the guide's table of exit statuses.
#include <runtime/words/exit_status_texts.hpp>

#include <cstdio>

int main() {
  std::puts("| status | name | meaning | remedy |\n|---|---|---|---|");
  for (const mana::exit_status_row& row : mana::exit_statuses)
    std::printf("| %d | %s | %s | %s%s|\n", static_cast<int>(row.status), row.name, row.meaning, row.remedy, *row.remedy != '\0' ? " " : "");
}
