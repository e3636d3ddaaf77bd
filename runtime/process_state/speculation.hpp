// What a thread has chosen of the processor's guesses: prctl(PR_SET_SPECULATION_CTRL).
//
// INV-85 after a restart each thread has what it had chosen of the processor's guesses, or less of them; where the machine
// lets no thread choose and makes more of them, the restart says so.
#pragma once
#include <runtime/process_state/attribute.hpp>

namespace mana::process_state {

/// What prctl(PR_GET_SPECULATION_CTRL) has returned, as a value of the thread's own.
/// out: empty: the machine chooses, or has no such guesses
words chosen_speculation(int told);

/// Bits of what prctl tells of a control, and takes.
enum speculation : int {
  may_be_chosen = 1 << 0,
  enabled = 1 << 1,
  disabled = 1 << 2,
  disabled_for_good = 1 << 3,
  disabled_until_exec = 1 << 4,
};
inline constexpr int every_disabled = disabled | disabled_for_good | disabled_until_exec;

/// in:  wanted    of the thread, as chosen_speculation() gives it
///      told      here
///      protects  those bits of a state that protect the thread
/// out: true: nothing can be set or has to be: the machine protects the thread, or that was not wanted
bool needs_no_choice(const words& wanted, int told, int protects) noexcept;

words read_store_bypass();
bool write_store_bypass(const words& value);
words read_indirect_branch();
bool write_indirect_branch(const words& value);
words read_first_level_flush();
bool write_first_level_flush(const words& value);

}  // namespace mana::process_state
