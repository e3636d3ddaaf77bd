// Exit statuses of the command and of the lower halves. Users cannot tell these programs apart, so they share one list.
// The guide's table and the manual's list are printed from it.
//
// INV-98 a status that is mana's own is one of this table, and a number keeps its name and its meaning forever.
#pragma once

#define MANA_REPORT_IT "report it, with the message and the output of mana --version"

// ROW(name, number, meaning, remedy): the guide's texts; exit_status_texts.hpp has them as a table. The message of a failure
// gives its own remedy, except if the row's remedy ends with MANA_REPORT_IT.
#define MANA_EXIT_STATUSES(ROW) \
  ROW(success, 0, "done", \
      "") \
  ROW(differ, 1, "`mana diff`: the compared checkpoints differ", \
      "") \
  ROW(internal, 63, "an error that mana does not expect", \
      "this is a defect of mana: " MANA_REPORT_IT) \
  ROW(usage, 64, "unknown command or option, wrong value, no program given; the same in the configuration file, or " \
                 "a file that others can change", \
      "`mana --help`, `mana COMMAND --help`, `--no-config`") \
  ROW(program_not_found, 65, "program not found", \
      "check the path, on every node") \
  ROW(program_not_executable, 66, "program not executable or not readable, a directory, or larger than the memory that this machine gives", \
      "`chmod +x`; the message says which") \
  ROW(program_not_elf, 67, "neither an ELF program nor a script with a `#!` line, a library, a damaged file, or one whose code is linked for fixed addresses above 4 GiB", \
      "give the program itself; in the last case link it with `-pie`") \
  ROW(program_foreign, 68, "program for another architecture", \
      "build it for x86-64") \
  ROW(program_static, 69, "program statically linked", \
      "link it dynamically") \
  ROW(not_mpi, 70, "MPI_Init was called without mana's MPI: the program loaded an MPI, was started past mana, or is " \
                   "a forked copy", \
      "start it with mpirun, or `--mpi`; the message may name `--abi`") \
  ROW(mpi_mismatch, 71, "`--mpi` and mpirun belong to different MPIs; the program is linked with two MPIs; `--mpi none` for an MPI program; or srun " \
                        "started MPICH's ranks with another plug-in than `--mpi=pmi2`", \
      "leave `--mpi` out, or use the other mpirun; `--abi`; `srun --mpi=pmi2`") \
  ROW(program_sanitized, 72, "program built with a sanitizer (address, thread, memory, leak, undefined behaviour with its runtime)", \
      "build it without `-fsanitize`") \
  ROW(parts_missing, 73, "this installation has no live MPI of that name, or a part of mana is missing", \
      "`mana doctor` lists the live MPIs; `mana add-mpi MPICC` adds one") \
  ROW(no_seccomp, 74, "the kernel or the container does not allow seccomp filters", \
      "see Limits") \
  ROW(directory_unwritable, 75, "directory of checkpoints, or of traces, not writable", \
      "`--ckpt-dir`, `--clock-trace`") \
  ROW(mpi_unsupported, 76, "program linked with an MPI library that mana does not know", \
      "link it with " MANA_MPI_LIBRARIES) \
  ROW(mpi_not_started, 77, "the live MPI did not start at a restart, or `--mpi standard` found no libmpi_abi.so", \
      "see its message; `LD_LIBRARY_PATH`, or another `--mpi`") \
  ROW(checkpoint_missing, 80, "no complete checkpoint, or a rank's image is missing", \
      "`mana list DIR`") \
  ROW(checkpoint_damaged, 81, "an image is truncated or damaged, and there is no older checkpoint, or the damage " \
                              "appeared only while memory was read", \
      "`mana verify DIR`; restart again, from an older checkpoint") \
  ROW(rank_count_differs, 82, "another number of ranks than at the checkpoint", \
      "`mpirun -n` with the number that the message names") \
  ROW(surroundings_differ, 83, "another program or processor than at the checkpoint; or a file, directory, or feature of " \
                               "MPI is missing", \
      "the message names both; `--map` for what has moved") \
  ROW(memory_occupied, 84, "the checkpoint's addresses are not free in the new process", \
      MANA_REPORT_IT) \
  ROW(checkpoint_unreadable, 85, "the system refused to read a checkpoint, or to map its memory; the checkpoint " \
                                 "itself may be intact", \
      "as the message says; restart again") \
  ROW(checkpoint_not_own, 86, "a checkpoint, or a directory on the way to it, belongs to somebody else, is a link, or can be replaced by all users", \
      "as the message says: `chmod`, or a directory of your own") \
  ROW(directory_in_use, 87, "another job has the directory of checkpoints, or the job still runs that you want to " \
                            "restart", \
      "a directory for each (`--ckpt-dir`); `mana checkpoint --stop`, and restart then") \
  ROW(stopped, 88, "no failure: the job was saved and stopped on request (`--stopped-status` for another number)", \
      "`mana restart DIR`") \
  ROW(other_mana, 89, "the job belongs to another mana, which speaks another version of the protocol", \
      "the mana that the message names") \
  ROW(no_job, 90, "no such job", \
      "`--ckpt-dir`, `--job`") \
  ROW(not_owner, 91, "the job belongs to another user", \
      "") \
  ROW(job_ended, 92, "the job has ended, or its node cannot be reached", \
      "`mana list DIR`") \
  ROW(no_answer, 93, "no answer within `--timeout`; the job continues with the request", \
      "`mana status`") \
  ROW(not_saved, 94, "the job could not take the checkpoint; earlier checkpoints remain, and the job continues " \
                     "unless the message says that a rank has ended", \
      "the message says why") \
  ROW(not_a_rank, 95, "`mana gdb`: no rank of a job under mana, or no core dump of one", \
      "give a process whose /proc/PID/exe is mana-lower-…") \
  ROW(debugger_missing, 96, "`mana gdb`: there is no gdb", \
      "install the package gdb") \
  ROW(will_not_work, 97, "`mana doctor`: something will not work", \
      "its lines name the cause and the remedy") \
  ROW(not_removed, 98, "`mana prune` could not remove or examine some files", \
      "as the message says; the remaining checkpoints can be restarted") \
  ROW(output_lost, 99, "a command could not write its standard output (full disk, or closed); it has done its work", \
      "make room, and run it again") \
  ROW(launcher_unknown, 100, "the launcher is of an MPI that this installation does not know", \
      "`mana add-mpi MPICC`, as the message says; or the launcher of an MPI that `mana doctor` lists") \
  ROW(mpi_not_added, 101, "`mana add-mpi` could not add the MPI; nothing has changed", \
      "the message says why")

namespace mana {

#define MANA_ROW(name, number, meaning, remedy) name = number,
enum class exit_status : int { MANA_EXIT_STATUSES(MANA_ROW) };
#undef MANA_ROW

/// The remedy of a failure whose message has none. Mostly empty, since a row's remedy covers several failures.
const char* remedy_of_all(exit_status status) noexcept;

}  // namespace mana
