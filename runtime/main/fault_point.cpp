#include "fault_point.hpp"

#include "start_failure.hpp"

#include <csignal>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace mana::run {

namespace {

/// True if the variable's text names this point, on any rank or on this one.
bool is_meant(const char* wanted, const char* name) {
  const std::size_t length = std::strlen(name);
  if (std::strncmp(wanted, name, length) != 0) return false;
  if (wanted[length] == '\0') return true;
  return wanted[length] == '@' && wanted + length + 1 == std::to_string(rank_from_environment());
}

}  // namespace

void fault_point(const char* name) noexcept {
  static const char* const wanted = std::getenv("MANA_FAULT");
  if (wanted != nullptr && is_meant(wanted, name)) kill(getpid(), SIGKILL);
}

}  // namespace mana::run
