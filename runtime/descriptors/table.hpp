// Which descriptors are the upper half's, and which of them share an open file.
#pragma once
#include <cstdint>
#include <vector>

namespace mana::descriptors {

struct owned_descriptor {
  int number;
  std::uint64_t file;     // equal for descriptors that share one open file (dup)
  int standard;           // 0, 1, 2: it is the launcher's stdin, stdout or stderr, or a duplicate of it; else -1
  bool inherited;         // from whoever started the program
};

/// Gives back the low numbers that guards took. What is open then below first_lower_descriptor() is the upper half's,
/// and 0 to 2 the launcher's; from now on the traps tell what the upper half opens and closes.
void begin();

/// What the upper half holds now, ascending.
std::vector<owned_descriptor> held();

/// After a restart: exactly these are the upper half's.
void begin_with(const std::vector<owned_descriptor>& descriptors);

}  // namespace mana::descriptors
