// INV-85: what a thread has chosen of the processor's guesses, on machines that let it choose and on others.
#include <doctest/doctest.h>

#include <runtime/process_state/speculation.hpp>

namespace process_state_speculation_tests {

using namespace mana::process_state;

TEST_CASE("what is a thread's own choice") {
  CHECK(chosen_speculation(may_be_chosen | disabled) == words{disabled});
  CHECK(chosen_speculation(may_be_chosen | enabled) == words{enabled});
  CHECK(chosen_speculation(may_be_chosen | disabled_until_exec) == words{disabled_until_exec});
  CHECK(chosen_speculation(enabled).empty());       // the machine's
  CHECK(chosen_speculation(disabled).empty());
  CHECK(chosen_speculation(0).empty());             // has no such guesses
  CHECK(chosen_speculation(-1).empty());            // the kernel does not know them
}

TEST_CASE("INV-85: a machine on which nothing can be chosen") {
  for (const int wanted : {disabled, disabled_for_good, disabled_until_exec}) {
    const words value{static_cast<std::uint64_t>(wanted)};
    CHECK(needs_no_choice(value, 0, every_disabled));
    CHECK(needs_no_choice(value, disabled, every_disabled));
    CHECK(needs_no_choice(value, disabled_for_good, every_disabled));
    CHECK_FALSE(needs_no_choice(value, enabled, every_disabled));
    CHECK_FALSE(needs_no_choice(value, -1, every_disabled));
    CHECK_FALSE(needs_no_choice(value, may_be_chosen | disabled, every_disabled));
  }
  CHECK(needs_no_choice({enabled}, enabled, every_disabled));
  CHECK(needs_no_choice({enabled}, disabled, every_disabled));
}

TEST_CASE("INV-85: of the cache it is being flushed that protects") {
  CHECK_FALSE(needs_no_choice({enabled}, disabled_for_good, enabled));
  CHECK(needs_no_choice({disabled}, disabled_for_good, enabled));
  CHECK(needs_no_choice({enabled}, enabled, enabled));
}

TEST_CASE("what is so can be set again") {
  if (!read_store_bypass().empty()) CHECK(write_store_bypass(read_store_bypass()));
  if (!read_indirect_branch().empty()) CHECK(write_indirect_branch(read_indirect_branch()));
  if (!read_first_level_flush().empty()) CHECK(write_first_level_flush(read_first_level_flush()));
}

}  // namespace process_state_speculation_tests
