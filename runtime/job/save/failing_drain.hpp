// Errors of the live MPI while a rank drains, for tests: MANA_FAULT_DRAIN=CALL[@RANK] has that call fail.
#pragma once
#include <mana/lower/abi.hpp>

#include <string>

namespace mana::job {

/// What MANA_FAULT_DRAIN asks for.
struct failing_call {
  std::string name;      // of a member of lower::services that a drain calls; empty: none
  int rank = -1;         // -1: all
};

/// errors: start_failure (usage) that names the word
failing_call parse_failing_call(const std::string& text);

/// Puts a failing function in place of the one that MANA_FAULT_DRAIN names, if it names this rank. It fails once,
/// in a drain, with the class MPI_ERR_OTHER.
/// errors: start_failure (usage)
void fail_as_asked(lower::services& table);

}  // namespace mana::job
