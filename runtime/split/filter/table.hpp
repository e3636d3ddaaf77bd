// The rows of the table of system calls that the filter and the handler are made from.
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

/// Those of these processes, in the table's order.
std::span<const trap_row> trap_table(trapped_in where) noexcept;

enum class calls_of { started, restarted };

/// Installs the filter for the calling thread, for good: all that run the upper half descend from it.
/// errors: throws load_error (74) if the kernel refuses
void install_filter(calls_of process);
/// In force for the calling thread: calls that take of the launcher's input by this number. Of a process whose only thread it is.
bool trap_input_by(int fd) noexcept;
/// What that takes is made, where there is such an input. Before the program runs.
void prepare_input_filter();
/// Whether this process's filter has cost programs that it executes the rights of their files (set-user-ID, …).
bool has_given_up_rights() noexcept;
/// The program that this process was before had a filter of ours.
void note_earlier_filter() noexcept;

}  // namespace mana::split
