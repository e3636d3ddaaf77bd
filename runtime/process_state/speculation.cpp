#include <runtime/process_state/speculation.hpp>

#include <sys/prctl.h>

namespace mana::process_state {

namespace {

/// Controls; the third is newer than some systems' headers.
constexpr int store_bypass = 0, indirect_branch = 1, first_level_flush = 2;      // PR_SPEC_STORE_BYPASS and so on
constexpr int states = enabled | every_disabled;

int tell(int control) noexcept { return prctl(PR_GET_SPECULATION_CTRL, control, 0, 0, 0); }

bool choose(int control, int protects, const words& value) noexcept {
  if (needs_no_choice(value, tell(control), protects)) return true;
  return prctl(PR_SET_SPECULATION_CTRL, control, at(value, 0), 0, 0) == 0 && chosen_speculation(tell(control)) == value;
}

}  // namespace

words chosen_speculation(int told) {
  if (told < 0 || (told & may_be_chosen) == 0 || (told & states) == 0) return {};
  return {static_cast<std::uint64_t>(told & states)};
}

/// If a kernel does not know the control (-1), nothing is known of the machine. 0: the machine does not speculate in
/// this way.
bool needs_no_choice(const words& wanted, int told, int protects) noexcept {
  if (told < 0 || (told & may_be_chosen) != 0) return false;
  const bool is_protected = told == 0 || (told & protects) != 0;
  return is_protected || (at(wanted, 0) & static_cast<std::uint64_t>(protects)) == 0;
}

words read_store_bypass() { return chosen_speculation(tell(store_bypass)); }
bool write_store_bypass(const words& value) { return choose(store_bypass, every_disabled, value); }
words read_indirect_branch() { return chosen_speculation(tell(indirect_branch)); }
bool write_indirect_branch(const words& value) { return choose(indirect_branch, every_disabled, value); }
words read_first_level_flush() { return chosen_speculation(tell(first_level_flush)); }
bool write_first_level_flush(const words& value) { return choose(first_level_flush, enabled, value); }

}  // namespace mana::process_state
