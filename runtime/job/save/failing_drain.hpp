// Errors of the live MPI while a rank drains, for tests: MANA_FAULT_DRAIN=CALL[@RANK] has that call fail.
#pragma once
#include <mana/lower/abi.hpp>

#include <string>

namespace mana::job {

/// A call that MANA_FAULT_DRAIN names.
struct failing_call {
  std::string name;      // of a member of lower::services that a drain calls; empty: none
  int rank = -1;         // -1: all
};

/// errors: start_failure (usage) that quotes the wrong part
failing_call parse_failing_call(const std::string& text);

/// Replaces the function that MANA_FAULT_DRAIN names by a failing one, if it names this rank. The function fails once,
/// in a drain, with the class MPI_ERR_OTHER.
/// errors: start_failure (usage)
void fail_as_asked(lower::services& table);

}  // namespace mana::job
