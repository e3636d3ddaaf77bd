// The one table of the commands of `mana` other than run and restart, and of their options. From its rows come the command line,
// its help, shells' completions, the manual's pages, the guide's table, and the structures that commands get. The options of a run
// and a restart: runtime/job/option_table.hpp.
//
// INV-99 a command has the options that its rows say, and no others.
#pragma once
#include <runtime/tools/options/command_kinds.hpp>

// ROW(name, about, notes)
//   name   of the command; its options are MANA_OPTIONS_<name>, its structure is <name>_command
//   notes  below its options in the help, and in the manual
#define MANA_COMMANDS(ROW) \
  ROW(checkpoint, "Take a checkpoint now; returns when it is durable", "") \
  ROW(status, "Show a running job", "") \
  ROW(list, "Show the checkpoints in a directory", "") \
  ROW(inspect, "Show what is in a checkpoint's images", "") \
  ROW(verify, "Check every byte of the checkpoints in a directory", "") \
  ROW(compact, "Make the newest checkpoint whole, so that it needs no older one", "") \
  ROW(diff, "Show how two checkpoints, or two images, differ", "") \
  ROW(prune, "Remove the checkpoints that newer ones do not need", "") \
  ROW(extract, "Write parts of an image to files of their own", "One of --section, --range, --core and --all is needed.") \
  ROW(gdb, "Debug a rank, with the names of the program and of MPI", \
      "Usage: mana gdb PID [WORDS OF GDB…]\n       mana gdb --core FILE [WORDS OF GDB…]") \
  ROW(doctor, "Say beforehand what will not work here, and for a program", "Usage: mana doctor [OPTIONS] [--] [PROGRAM [ARGUMENTS…]]") \
  ROW(completion, "Print the completion of mana's words for a shell", "bash: . <(mana completion bash)")

// ROW(member, name, kind, default, value, help)
//   member   of the command's structure
//   name     of the option; of a word that has none, what stands for it: DIR
//   kind     a class of option_kinds.hpp or command_kinds.hpp: which values there are, and how the option is given
//   default  of the member; help says it as {default}
//   value    what stands for the value in help; a flag has none
#define MANA_JSON_ROW(ROW) ROW(json, "--json", flag, false, "", "Print JSON, for programs")
#define MANA_PROGRESS_ROW(ROW) ROW(progress, "--progress", flag, false, "", "Report progress even if standard error is not a terminal")
#define MANA_RANK_ROW(ROW) ROW(rank, "--rank", rank_number, {}, "R", "Only this rank's image")
#define MANA_MAP_ROW(ROW) \
  ROW(moved, "--map", path_rules, {}, "OLD=NEW", "Look under NEW for the program's files that were under OLD; may be repeated")
#define MANA_WHAT_TO_LOOK_AT "A directory of checkpoints (its newest complete one), a checkpoint, or an image"

#define MANA_OPTIONS_checkpoint(ROW) \
  ROW(job, "DIR", running_job, {}, "", "The job's checkpoint directory") \
  MANA_PROGRESS_ROW(ROW) \
  ROW(stop, "--stop", flag, false, "", "End the job once the checkpoint is durable") \
  ROW(wait, "--wait", wait_place, "global", "WHERE", \
      "Wait until the checkpoint is in the checkpoint directory (global, the default), or only until it is on the ranks' nodes (local), if " \
      "the job runs with --local") \
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
  ROW(second, "B", thing, "", "", "What to compare it with") \
  MANA_RANK_ROW(ROW) \
  ROW(pages, "--pages", flag, false, "", "List the pages that differ, too") \
  MANA_PROGRESS_ROW(ROW) \
  MANA_MAP_ROW(ROW) \
  MANA_JSON_ROW(ROW)

#define MANA_OPTIONS_prune(ROW) \
  ROW(directory, "DIR", place, default_directory, "", "A checkpoint directory") \
  ROW(keep, "--keep", kept, "2", "N", "Keep the newest N checkpoints, and what they build on (1 to 1000, or all; default: {default})") \
  ROW(dry_run, "--dry-run", flag, false, "", "Say what would be removed, and remove nothing") \
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

#define MANA_OPTIONS_completion(ROW) \
  ROW(shell, "SHELL", shell_name, "", "", "bash, zsh or fish")
