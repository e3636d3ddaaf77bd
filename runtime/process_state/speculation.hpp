// A thread's choice about the processor's speculation: prctl(PR_SET_SPECULATION_CTRL).
//
// INV-85 after a restart each thread has what it had chosen of the processor's guesses, or less of them. If the machine
// lets no thread choose and makes more of them, the restart says so.
#pragma once
#include <runtime/process_state/attribute.hpp>

namespace mana::process_state {

/// The result of prctl(PR_GET_SPECULATION_CTRL), as a value of the thread's own.
/// out: empty: the machine chooses, or does not speculate in this way
words chosen_speculation(int told);

/// Bits that prctl returns for a control, and accepts.
enum speculation : int {
  may_be_chosen = 1 << 0,
  enabled = 1 << 1,
  disabled = 1 << 2,
  disabled_for_good = 1 << 3,
  disabled_until_exec = 1 << 4,
};
inline constexpr int every_disabled = disabled | disabled_for_good | disabled_until_exec;

/// in:  wanted    the thread's value, from chosen_speculation()
///      told      the result of prctl here
///      protects  bits of a state that protect the thread
/// out: true: nothing to set: the machine protects the thread, or the thread did not want that
bool needs_no_choice(const words& wanted, int told, int protects) noexcept;

words read_store_bypass();
bool write_store_bypass(const words& value);
words read_indirect_branch();
bool write_indirect_branch(const words& value);
words read_first_level_flush();
bool write_first_level_flush(const words& value);

}  // namespace mana::process_state
