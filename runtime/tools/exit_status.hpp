// Exit statuses of the command. docs/user_guide.md lists them for users; numbers never change their meaning.
#pragma once

namespace mana::tools {

enum class exit_code : int {
  success = 0,
  internal = 63,
  usage = 64,
  program_not_found = 65,
  program_not_executable = 66,
  program_not_elf = 67,
  program_foreign = 68,
  program_static = 69,
  not_mpi = 70,
  mpi_mismatch = 71,
  mpi_unsupported = 72,
  parts_missing = 73,
  no_seccomp = 74,
  directory_unwritable = 75,
};

}  // namespace mana::tools
