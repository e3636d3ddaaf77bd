#include <runtime/split/window/own_filters.hpp>

#include <runtime/split/window/raw.hpp>

#include <fcntl.h>

#include <climits>
#include <cstdlib>
#include <cstring>

namespace mana::split {

namespace {
constinit unsigned long filters_without_programs = ULONG_MAX;
}

void note_own_filters() noexcept {
  char text[8192] = "";
  const long fd = raw_call(SYS_open, as_word("/proc/thread-self/status"), O_RDONLY | O_CLOEXEC);
  if (is_error(fd)) return;
  raw_call(SYS_read, fd, as_word(text), sizeof text - 1);
  raw_call(SYS_close, fd);
  constexpr char name[] = "Seccomp_filters:";
  if (const char* const at = std::strstr(text, name); at != nullptr)
    filters_without_programs = std::strtoul(at + sizeof name - 1, nullptr, 10);
}

void note_another_own_filter() noexcept {
  if (filters_without_programs != ULONG_MAX) ++filters_without_programs;
}

unsigned long own_filters() noexcept { return filters_without_programs; }

}  // namespace mana::split
