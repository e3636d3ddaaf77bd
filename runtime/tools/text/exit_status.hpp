// Exit statuses of the command. docs/user_guide.md lists them for users; numbers never change their meaning. The lower
// halves' own (runtime/job/start_failure.hpp) continue these: users cannot tell the two programs apart.
#pragma once

namespace mana::tools {

enum class exit_code : int {
  success = 0,
  differ = 1,                   // mana diff: what was compared is not equal
  internal = 63,                // a defect of mana
  usage = 64,                   // unknown command or option, bad value, nothing to run
  program_not_found = 65,
  program_not_executable = 66,  // also: not readable, a directory
  program_not_elf = 67,         // neither ELF nor a script, a library, or damaged
  program_foreign = 68,         // for another architecture
  program_static = 69,
  not_mpi = 70,                 // MPI_Init where it cannot be: of a program run without MPI, or past mana (said by the upper half)
  mpi_mismatch = 71,            // program and mpirun belong to different MPIs
  program_sanitized = 72,       // built with a sanitizer
  parts_missing = 73,           // this installation has no lower half for the MPI
  no_seccomp = 74,
  directory_unwritable = 75,
  mpi_unsupported = 76,         // linked with an MPI for which there is no lower half
  checkpoint_missing = 80,      // no complete checkpoint there
  checkpoint_damaged = 81,
  surroundings_differ = 83,     // another MPI than at the checkpoint
  checkpoint_unreadable = 85,   // the system refused to read it
  checkpoint_not_own = 86,      // of another user, behind a link, or where others can replace it
  directory_in_use = 87,        // another job has it, or the one that is to be restarted still runs
  stopped = 88,                 // of a rank: a checkpoint ended the job, as it was asked to
  other_mana = 89,              // the job is of a mana that speaks another version of the protocol
  no_job = 90,                  // no job where it was looked for
  not_owner = 91,               // the job belongs to another user
  job_ended = 92,               // nobody answers any more
  no_answer = 93,               // not within --timeout
  not_a_rank = 95,              // a process, or a core dump, that is of no rank of a job under mana
  debugger_missing = 96,
  will_not_work = 97,           // mana doctor has found what prevents it
  not_removed = 98,             // mana prune could not remove, or not look at, all
  output_lost = 99,             // standard output could not be written
  not_saved = 94,               // the job answered that it could not take the checkpoint, and why
};

}  // namespace mana::tools
