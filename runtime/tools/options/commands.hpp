// The commands. Each returns the exit status. errors: failure
#pragma once
#include <runtime/tools/options/command_line.hpp>

namespace mana::tools {

int take_checkpoint(const checkpoint_command& wanted);
int show_status(const status_command& wanted);
/// Replaces this process by gdb. Does not return.
[[noreturn]] void debug(const gdb_command& wanted, const environment& get);
/// out: 0 or will_not_work
int examine(const doctor_command& wanted, const environment& get);
/// Replaces this process by the script that does the work. Does not return.
[[noreturn]] void add_mpi(const add_mpi_command& wanted, const environment& get);
int list(const list_command& wanted);
int inspect(const inspect_command& wanted);
/// out: 0 or differ
int diff(const diff_command& wanted);
int extract(const extract_command& wanted);
int complete(const completion_command& wanted);
int help(const help_command& wanted, const environment& get);
/// out: 0, checkpoint_damaged, checkpoint_unreadable, checkpoint_missing (no checkpoint is complete), or
///      surroundings_differ
int verify(const verify_command& wanted);
int prune(const prune_command& wanted);
int compact(const compact_command& wanted);

}  // namespace mana::tools
