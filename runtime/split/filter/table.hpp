// The rows of the table of system calls, for the filter and the handler.
#pragma once
#include <runtime/split/call/trap.hpp>
#include <runtime/split/filter/system_calls.hpp>

#include <span>

namespace mana::split {

struct trap_row {
  unsigned number;
  trap_function function;
  condition when = condition::always;
  unsigned argument = 0;
};

/// The rows for these processes, in the table's order.
std::span<const trap_row> trap_table(trapped_in where) noexcept;

enum class calls_of { started, restarted };

/// Installs the filter for the calling thread, permanently: all threads of the upper half descend from it.
/// errors: throws load_error (74) if the kernel refuses
void install_filter(calls_of process);
/// Traps calls that read the launcher's input by this number, in a process of one thread.
/// out: the filter is in force
bool trap_input_by(int fd) noexcept;
/// Allocates for trap_input_by(), if such an input exists. Call it before the program runs.
void prepare_input_filter();
/// Whether the filter has cost executed programs the rights of their files (set-user-ID, …).
bool has_given_up_rights() noexcept;
/// The program that this process was before had mana's filter.
void note_earlier_filter() noexcept;

}  // namespace mana::split
