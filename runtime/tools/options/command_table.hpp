// The one table of the commands of `mana` other than run and restart, and of their options. It gives the command line, its
// help, the completions, the manual pages, the guide's table and the commands' structures. runtime/job/option_table.hpp
// has the options of a run and a restart.
//
// INV-99 a command has the options that its rows say, and no others.
#pragma once
#include <runtime/tools/options/command_kinds.hpp>

#include <algorithm>
#include <string>

// ROW(name, about, usage, example)
//   name     of the command, with _ for -; its options are MANA_OPTIONS_<name>, its structure is <name>_command
//   about    one line, for the list of commands
//   usage    lines; empty: made from the options
//   example  lines, printed at the end of the help and of the manual page
#define MANA_COMMANDS(ROW) \
  ROW(checkpoint, "Take a checkpoint now; returns when it is durable", "", "mana checkpoint --stop") \
  ROW(status, "Show a running job", "", "mana status run7") \
  ROW(list, "List the checkpoints in a directory", "", "mana list run7") \
  ROW(inspect, "Show the contents of a checkpoint's images", "", "mana inspect run7/gen-000003 --rank 0") \
  ROW(verify, "Check every byte of the checkpoints in a directory", "", "mana verify run7") \
  ROW(compact, "Make the newest checkpoint whole, so that it needs no older one", "", \
      "mana compact run7 && mana prune run7 --keep 1") \
  ROW(diff, "Show how two checkpoints, or two images, differ", "", "mana diff run7/gen-000003 run7/gen-000004") \
  ROW(prune, "Remove checkpoints that newer ones do not need", "", "mana prune run7 --keep 1 --dry-run") \
  ROW(extract, "Write parts of an image to files", \
      "mana extract [OPTIONS] [WHAT] (--section NAME | --range A-B | --core | --all) -o FILE", \
      "mana extract run7 --rank 3 --core -o core && gdb ./app core") \
  ROW(gdb, "Debug a rank, with the function names of the program and of MPI", \
      "mana gdb PID [WORDS OF GDB…]\nmana gdb --core FILE [WORDS OF GDB…]", "mana gdb 4711 -ex backtrace") \
  ROW(doctor, "Report what will not work on this machine, and for a program", \
      "mana doctor [OPTIONS] [--] [PROGRAM [ARGUMENTS…]]", "mpirun -n 1 mana doctor ./app") \
  ROW(add_mpi, "Let this installation run programs over another MPI", "", "mana add-mpi /opt/mpich-5/bin/mpicc") \
  ROW(completion, "Print the completion of mana's words for a shell", "", ". <(mana completion bash)") \
  ROW(help, "Show a page of the guide; without TOPIC, list the pages", "", "mana help slurm")

// ROW(member, name, kind, default, value, help)
//   member   of the command's structure
//   name     of the option; for a positional argument, its placeholder: DIR
//   kind     a class of option_kinds.hpp or command_kinds.hpp: the valid values, and how the option is given
//   default  of the member; {default} in help
//   value    the placeholder of the value in help; a flag has none
#define MANA_JSON_ROW(ROW) ROW(json, "--json", flag, false, "", "Print JSON, for programs")
#define MANA_PROGRESS_ROW(ROW) ROW(progress, "--progress", flag, false, "", "Report progress even if standard error is not a terminal")
#define MANA_RANK_ROW(ROW) ROW(rank, "--rank", rank_number, {}, "R", "Only this rank's image")
#define MANA_MAP_ROW(ROW) \
  ROW(moved, "--map", path_rules, {}, "OLD=NEW", "Look under NEW for the program's files that were under OLD; may be repeated")
#define MANA_WHAT_TO_LOOK_AT "A directory of checkpoints (its newest complete one), a checkpoint, or an image"

#define MANA_OPTIONS_checkpoint(ROW) \
  ROW(job, "DIR", running_job, {}, "", "The job's checkpoint directory") \
  MANA_PROGRESS_ROW(ROW) \
  ROW(stop, "--stop", flag, false, "", "End the job when the checkpoint is durable") \
  ROW(wait, "--wait", wait_place, "global", "WHERE", \
      "Wait until the checkpoint is in the checkpoint directory (global, the default), or, with --local, on the " \
      "ranks' nodes (local)") \
  ROW(timeout_s, "--timeout", duration, 0, "SECONDS", "Give up after SECONDS seconds (default: the job's limit)")

#define MANA_OPTIONS_status(ROW) \
  ROW(job, "DIR", running_job, {}, "", "The job's checkpoint directory") \
  MANA_JSON_ROW(ROW)

#define MANA_OPTIONS_list(ROW) \
  ROW(directory, "DIR", place, default_directory, "", "A checkpoint directory, or one checkpoint in it") \
  MANA_JSON_ROW(ROW)

#define MANA_OPTIONS_inspect(ROW) \
  ROW(what, "WHAT", place, default_directory, "", MANA_WHAT_TO_LOOK_AT) \
  MANA_RANK_ROW(ROW) \
  ROW(regions, "--regions", flag, false, "", "List each piece of memory, with its addresses") \
  MANA_JSON_ROW(ROW)

#define MANA_OPTIONS_verify(ROW) \
  ROW(directory, "DIR", place, default_directory, "", "A checkpoint directory, or one checkpoint in it") \
  ROW(generation, "--generation", generation_number, {}, "N", "Only the checkpoint with this number") \
  MANA_PROGRESS_ROW(ROW) \
  MANA_MAP_ROW(ROW) \
  MANA_JSON_ROW(ROW)

#define MANA_OPTIONS_compact(ROW) \
  ROW(directory, "DIR", place, default_directory, "", "A checkpoint directory") \
  ROW(compress, "--compress", packing, "auto", "HOW", "How to compress the images: auto (the default), none, lz4[:N] or zstd[:LEVEL]") \
  ROW(pack_threads, "--pack-threads", threads, "auto", "N", \
      "Compress with N threads, 1 to 64; auto: one for each core, at most 16 (default: {default})") \
  MANA_PROGRESS_ROW(ROW) \
  MANA_MAP_ROW(ROW) \
  MANA_JSON_ROW(ROW)

#define MANA_OPTIONS_diff(ROW) \
  ROW(first, "A", thing, "", "", MANA_WHAT_TO_LOOK_AT) \
  ROW(second, "B", thing, "", "", "The other one, to compare it with A") \
  MANA_RANK_ROW(ROW) \
  ROW(pages, "--pages", flag, false, "", "Also list the differing pages") \
  MANA_PROGRESS_ROW(ROW) \
  MANA_MAP_ROW(ROW) \
  MANA_JSON_ROW(ROW)

#define MANA_OPTIONS_prune(ROW) \
  ROW(directory, "DIR", place, default_directory, "", "A checkpoint directory") \
  ROW(keep, "--keep", kept, "2", "N", "Keep the newest N checkpoints, and those they build on (1 to 1000, or all; " \
                                      "default: {default})") \
  ROW(dry_run, "--dry-run", flag, false, "", "Print what would be removed, and remove nothing") \
  MANA_PROGRESS_ROW(ROW) \
  MANA_JSON_ROW(ROW)

#define MANA_OPTIONS_extract(ROW) \
  ROW(what, "WHAT", place, default_directory, "", MANA_WHAT_TO_LOOK_AT) \
  MANA_RANK_ROW(ROW) \
  ROW(section, "--section", file_name, "", "NAME", "A section of the image") \
  ROW(range, "--range", memory_range, {}, "A-B", "Memory from address A up to B, in hexadecimal") \
  ROW(core, "--core", flag, false, "", "All memory and threads as a core dump, for debuggers") \
  ROW(all, "--all", flag, false, "", "Every section and every region, as files in a new directory") \
  ROW(output, "-o,--output", new_file, "", "FILE", "The new file, or directory; nothing is overwritten") \
  MANA_PROGRESS_ROW(ROW) \
  MANA_MAP_ROW(ROW) \
  MANA_JSON_ROW(ROW)

#define MANA_OPTIONS_gdb(ROW) \
  ROW(core, "--core", file_name, "", "FILE", "A core dump of a rank") \
  ROW(pid, "PID", process_or_core, "", "", "A rank's process on this node") \
  ROW(words, "", words_behind, {}, "", "")

#define MANA_OPTIONS_doctor(ROW) \
  ROW(checkpoint_directory, "--ckpt-dir", future_place, default_directory, "DIR", "Where checkpoints will go (default: {default})") \
  ROW(mpi, "--mpi", live_mpi_name, "", "NAME", "The live MPI to run over, or none (default: the launcher's)") \
  ROW(abi, "--abi", abi_name, "", "NAME", "The MPI that the program was built for: " MANA_MPI_NAMES " (default: as its libraries say)") \
  MANA_JSON_ROW(ROW) \
  ROW(command, "", words_behind, {}, "", "")

#define MANA_OPTIONS_add_mpi(ROW) \
  ROW(compiler, "MPICC", thing, "", "", "The MPI's C compiler command") \
  ROW(name, "--name", live_mpi_name, "", "NAME", "The name for --mpi (default: the family's, with the version if that is taken)") \
  ROW(replace, "--replace", flag, false, "", "Build it again, after a new version of the MPI or of mana") \
  ROW(user, "--user", flag, false, "", "Add it for yourself alone, in your home directory")

#define MANA_OPTIONS_completion(ROW) \
  ROW(shell, "SHELL", shell_name, "", "", "bash, zsh or fish")

#define MANA_OPTIONS_help(ROW) \
  ROW(topic, "TOPIC", guide_topic, "", "", "A page of the guide, or a command")

namespace mana::tools {

/// The name of a row as users type it.
inline std::string typed(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

}  // namespace mana::tools
