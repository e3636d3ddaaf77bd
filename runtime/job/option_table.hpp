// The one table of the options of `mana run` and `mana restart`. From its rows come the command line, the keys of the
// configuration file, shells' completions, the manual's pages, the guide's table, and the words for the lower half with
// their parser.
// INV-96 what the command line takes for an option of a run or a restart, the lower half understands.
#pragma once
#include <mana/gen/families.hpp>

// ROW(member, name, kind, default, value, commands, goes, needs, excludes, group, help, guide)
//   member    of run_options (as given) and of start_options (as the lower half uses it)
//   kind      a class of option_kinds.hpp: which values there are
//   default   as given on the command line
//   value     name of the value in help, which says its unit: SECONDS, BYTES; a flag has none
//   commands  run, restart or both
//   goes      to_job: to the lower half, and to what the program executes; to_rank: to the lower half alone; to_tool: nowhere
//   needs, excludes   (another option, why), or nothing: a command line that breaks it is refused
//   group     heading in the help
//   help      for the command line, completions and the manual; {default} and {choices} are the row's
//   guide     for docs/user_guide.md, Markdown; command, default, needs and excludes are printed beside
#define MANA_RUN_OPTIONS(ROW) \
  ROW(checkpoint_directory, "--ckpt-dir", file_name, "mana-ckpt", "DIR", both, to_job, nothing, nothing, checkpoints, \
      "Checkpoint directory (default: {default})", \
      "Where checkpoints go. It is created if it does not exist (mode 0700). On several nodes it must be on a " \
      "shared file system. Each running job needs a directory of its own, see \"Several jobs\"") \
  ROW(interval_s, "--interval", duration, 0, "SECONDS", both, to_job, nothing, nothing, checkpoints, \
      "Take a checkpoint every SECONDS seconds (default: only on request)", \
      "Take a checkpoint every SECONDS seconds. Without this option none is taken on a schedule") \
  ROW(keep, "--keep", kept, "2", "N", both, to_job, nothing, nothing, checkpoints, \
      "Keep the newest N checkpoints, and what they build on (1 to 1000, or all; default: {default})", \
      "Keep the newest N checkpoints (1 to 1000, or `all`) and those they build on, whichever programs in DIR they " \
      "belong to. One that a restart found damaged does not count") \
  ROW(stop_after_s, "--stop-after", duration, 0, "SECONDS", both, to_job, nothing, nothing, checkpoints, \
      "Take a checkpoint after SECONDS seconds and end the job", \
      "Take a checkpoint SECONDS seconds after the start or the restart, and end the job. Allow time for writing") \
  ROW(checkpoint_on, "--checkpoint-on", signals, "", "SIGNALS", both, to_job, nothing, nothing, checkpoints, \
      "Take a checkpoint when a rank receives one of these signals", \
      "Take a checkpoint when a rank receives one of these signals: names or numbers, separated by commas " \
      "(`USR1,XCPU`)") \
  ROW(stop_on, "--stop-on", signals, "", "SIGNALS", both, to_job, nothing, nothing, checkpoints, \
      "Take a checkpoint and end the job when a rank receives one of these signals", \
      "Take a checkpoint and end the job when a rank receives one of these signals") \
  ROW(stopped_status, "--stopped-status", status, static_cast<int>(exit_status::stopped), "N", both, to_job, nothing, nothing, checkpoints, \
      "Exit status of a job that was saved and stopped on request (0 to 255, default: {default})", \
      "Exit status of a job that was saved and stopped because `--stop-on`, `--stop-after`, the program or `mana " \
      "checkpoint --stop` asked for it (0 to 255). See \"When it was stopped\"") \
  ROW(limit_s, "--limit", duration, 0, "SECONDS", both, to_job, nothing, nothing, checkpoints, \
      "Give up a checkpoint if the ranks are not ready within SECONDS seconds; the program runs on (default: 600)", \
      "Give up a checkpoint if the ranks do not reach a safe point within SECONDS, or if messages in flight do not " \
      "arrive within SECONDS after that. The program runs on; the message names ranks, peers, communicators and " \
      "threads. Default: 600") \
  ROW(mpi, "--mpi", live_mpi_name, "", "NAME", both, to_tool, nothing, nothing, ranks, \
      "Run over the live MPI NAME, one of those that `mana doctor` lists, or none. Default: the launcher's", \
      "Run over the live MPI NAME, one of those that `mana doctor` lists, or none. Default: the launcher's") \
  ROW(abi, "--abi", abi_name, "", "NAME", run, to_tool, nothing, nothing, ranks, \
      "The program was built for this MPI: " MANA_MPI_NAMES ". Default: as its libraries say", \
      "The program was built for this MPI: " MANA_MPI_NAMES ". Default: as its libraries say") \
  ROW(clock, "--clock", clock_name, "", "NAME", both, to_job, nothing, nothing, ranks, \
      "How the ranks agree where to stop: {choices} (default: {default})", \
      "How the ranks agree where to stop: `needs`; `needs_gated` (an operation that no rank had begun at the " \
      "request is begun only if a rank that is behind depends on it); and for comparison `hybrid_two_phase`, " \
      "`collective_clock` (as published: it may never finish where ranks wait for messages, and gives up after " \
      "`--limit`) and `two_phase_commit` (always a barrier before each collective: slow, may deadlock a program " \
      "that sends after a broadcast, refuses non-blocking collectives and MPI_Comm_create_group). A restart may " \
      "choose another one") \
  ROW(clock_trace, "--clock-trace", trace_directory, "", "DIR", both, to_job, nothing, nothing, ranks, \
      "Record what each rank's clock is told and answers in DIR, for mana-clock-replay", \
      "Each rank records in DIR what its clock is told and answers around checkpoints, to be checked by " \
      "`mana-clock-replay DIR` (docs/design/clock.md). DIR is created if it does not exist; several jobs may share " \
      "it") \
  ROW(fan_out, "--fan-out", fan_out, clock::default_fan_out, "K", both, to_job, nothing, nothing, ranks, \
      "Ranks per relay of the control network (default: {default})", \
      "Ranks per relay of the control network, 2 to 65536: no process talks to more than K others. Jobs of up to " \
      "K+1 ranks have no relays. A restart may choose another value") \
  ROW(local, "--local", local_directory, "", "DIR", both, to_job, nothing, nothing, images, \
      "Write images to DIR on each node first, and copy them while the program runs; %n is the node's name", \
      "Two levels: each rank first writes its image to DIR on its node (a disk, or memory such as `/dev/shm`), the " \
      "program goes on, and the image is copied to the checkpoint directory while it runs. DIR is an absolute " \
      "path; `%n` in it is the node's name. See \"Two levels\" below. `mana restart` takes images from the nodes " \
      "where they are newer or nearer") \
  ROW(copy_every, "--copy-every", one_of, 1, "N", both, to_job, \
      (relation{"--local", "is of images on the nodes"}), nothing, images, \
      "With --local and --interval: copy every Nth checkpoint, leave the others on the nodes (default: {default})", \
      "Copy every Nth of the checkpoints that `--interval` takes to the checkpoint directory; the others stay on " \
      "the nodes. Checkpoints requested in another way (`mana checkpoint`, a signal, the program) are always " \
      "copied. With `--incremental` a copy is whole if the one before it was not copied, and what stays on the " \
      "nodes holds changes. If a node cannot take an image, no checkpoint is lost: the next one follows at once " \
      "and goes to the directory") \
  ROW(redundancy, "--redundancy", scheme, "", "K+M", both, to_job, \
      (relation{"--local", "is of images on the nodes"}), \
      (relation{"--forked", "parity is computed by messages between the ranks, for which the program has to stand until the images are " \
       "written"}), images, \
      "With --local: rebuild the images of any M of K+M ranks from the others, for M/K of their size; 1+1 is a copy", \
      "The images on the nodes are divided into groups of at least K+M ranks, on different nodes where possible. " \
      "Each rank writes parity beside its image (M/K of its size) before the program goes on. At a restart, the " \
      "images of any M ranks of a group can be rebuilt from those of the others; `1+1` is a copy on a partner's " \
      "node. 1 ≤ K ≤ 32, 1 ≤ M ≤ 8; the job needs at least K+M ranks. `mana restart` rebuilds lost images with or " \
      "without this option") \
  ROW(compress, "--compress", packing, "auto", "HOW", both, to_job, nothing, nothing, images, \
      "How to compress images: auto (the default: lz4 if that makes a checkpoint shorter), none, lz4[:N] or " \
      "zstd[:LEVEL]", \
      "How to compress images: `none`, `lz4[:N]` (N: speed; 1 compresses best), `zstd[:LEVEL]`, or `auto` (lz4 as " \
      "long as the disk is slower than compressing). Data that does not shrink is stored as it is") \
  ROW(pack_threads, "--pack-threads", threads, "auto", "N", both, to_job, nothing, nothing, images, \
      "Compress with N threads per rank (1 to 64; auto: as many as there are idle cores; default: {default})", \
      "Compress each rank's image with N threads (1 to 64). `auto` divides the cores that the node's ranks may use " \
      "by the number of these ranks, and with `--forked` subtracts the program's threads, which keep running: at " \
      "least 1, at most 16. `mana inspect` shows the number if it was more than one. The image does not depend on " \
      "the number of threads (but which pieces `auto` compresses depends on the disk in any case). Each thread " \
      "takes about 2 MiB of memory, up to 7 with high levels of zstd. mana does not see a container's limit on " \
      "processor time: set N yourself there") \
  ROW(incremental, "--incremental", flag, false, "", both, to_job, nothing, nothing, images, \
      "Write only what has changed since the previous checkpoint", \
      "An image holds what has changed since the previous checkpoint, and refers to it for the rest. `mana " \
      "inspect` says how changes were found: by write protection in the page tables (Linux 6.7 and newer), by " \
      "soft-dirty bits (older kernels that have them, such as Debian's; a program that uses these bits itself is " \
      "disturbed) or by checksums of all pages. No privileges are needed") \
  ROW(full_every, "--full-every", one_of, 10, "N", both, to_job, nothing, nothing, images, \
      "With --incremental: make every Nth checkpoint whole (default: {default})", \
      "With `--incremental`: make at least one of N checkpoints whole, so that no image refers to more than N-1 " \
      "others. `mana compact` makes the newest one whole") \
  ROW(by_reference, "--by-reference", flag, false, "", both, to_job, nothing, nothing, images, \
      "Leave out memory that is unchanged from program and library files, which a restart then needs", \
      "Do not write memory that is unchanged from the files of the program and its libraries; images refer to the " \
      "files by path and build id. A restart needs the same builds of these files, where they were or where " \
      "`--map` says; it refuses others before it maps any memory. `mana inspect` shows which image refers to which " \
      "file. `mana compact` makes a checkpoint that needs none of them. Without this option, if several ranks run " \
      "on a node, such memory is stored once for all of them, as `file-…` in the checkpoint, where that takes " \
      "fewer bytes than compressing it for each rank: from 2 ranks with `--compress none`, 3 with lz4 and auto, 4 " \
      "with zstd") \
  ROW(forked, "--forked", flag, false, "", both, to_job, nothing, nothing, images, \
      "Let the program run on while a copy of each process writes its image", \
      "The program goes on as soon as a copy-on-write child of each rank holds its memory; the child writes the " \
      "image. The checkpoint exists when all have written, and `mana checkpoint` returns then. A request made in " \
      "the meantime waits for the next checkpoint. Where a device may write to the program's memory (RDMA), the " \
      "image is written before the program goes on, and `mana inspect` says so. Shared memory, mapped data files " \
      "and memory that madvise keeps from children are always written first; overwriting a program or library in " \
      "place in the meantime makes the checkpoint fail") \
  ROW(max_rate, "--max-rate", size, 0, "BYTES", both, to_job, nothing, nothing, images, \
      "Limit each rank to BYTES per second when it writes (100M, 2G; M is 2^20)", \
      "Limit the rate at which each rank writes to the checkpoint directory, in bytes per second: `4096`, `100M`, " \
      "`2G`. K is 2^10, M 2^20, G 2^30, T 2^40, with or without a `B` or `iB` after it") \
  ROW(nice, "--nice", niceness, 0, "N", both, to_job, nothing, nothing, images, \
      "With --forked or --local: lower the priority of writing and copying by N (0 to 19)", \
      "Lower the priority of what writes (`--forked`, all its threads) or copies (`--local`) while the program " \
      "runs, by N (0 to 19)") \
  ROW(children, "--children", loss, "warn", "POLICY", both, to_job, nothing, nothing, program, \
      "What to do if child processes are alive at a checkpoint, which no restart brings back: warn (the default), " \
      "refuse or ignore", \
      "What to do if child processes are alive at a checkpoint; a restart does not bring them back. `warn`: the " \
      "checkpoint names them. `refuse`: the checkpoint is given up with a message that names one, and the program " \
      "runs on. `ignore`: nothing") \
  ROW(sockets, "--sockets", loss, "warn", "POLICY", both, to_job, nothing, nothing, program, \
      "What to do if sockets are connected at a checkpoint, which no restart brings back: warn (the default), " \
      "refuse or ignore", \
      "The same for connected sockets") \
  ROW(cpu, "--cpu", cpu_level, "", "LEVEL", run, to_job, nothing, nothing, program, \
      "Limit the program's libc to this processor level, so that checkpoints restart on any processor that has it: " \
      "{choices}", \
      "Limit the program's libc to this level of the x86-64 ABI (`x86-64`, `x86-64-v2`, `-v3`, `-v4`), so that its " \
      "checkpoints restart on every processor of that level. Without this option they restart only on processors " \
      "that have everything this one has. mana sets GLIBC_TUNABLES for this. Libraries that query the processor " \
      "themselves have settings of their own (OpenBLAS: `OPENBLAS_CORETYPE`)") \
  ROW(input, "--stdin", input_file, "", "FILE", both, to_rank, nothing, nothing, program, \
      "Rank 0 reads standard input from FILE; a restart goes on where the program was in it", \
      "Rank 0's standard input is FILE, as if `<FILE` stood after the program's name; other ranks have none, as " \
      "with launchers. After `mana restart` the program goes on in FILE after what it had already read. See " \
      "\"Standard input\" below") \
  ROW(moved, "--map", path_rules, {}, "OLD=NEW", restart, to_job, nothing, nothing, program, \
      "Look under NEW for the program's files that were under OLD; may be repeated", \
      "Look under NEW for what was under OLD at the checkpoint. May be repeated. See `mana restart` below") \
  ROW(lazy, "--lazy", flag, false, "", restart, to_job, nothing, nothing, program, \
      "Start the program before its memory is read; memory that is not compressed is read when it is used", \
      "The program starts before its memory is read. See `mana restart` below") \
  ROW(progress, "--progress", flag, false, "", restart, to_job, nothing, nothing, messages, \
      "Report progress even if standard error is not a terminal", \
      "Report the progress of the restart even if standard error is not a terminal") \
  ROW(perf_map, "--perf-map", flag, false, "", both, to_job, nothing, nothing, messages, \
      "Write the names of functions to /tmp/perf-PID.map, for perf", \
      "Each rank writes the names of its functions to /tmp/perf-PID.map, for perf (see tools.md)") \
  ROW(no_config, "--no-config", flag, false, "", both, to_tool, nothing, nothing, messages, \
      "Do not read the configuration file", \
      "Do not read the configuration file (see below)") \
  ROW(verbose, "--verbose", flag, false, "", both, to_job, nothing, nothing, messages, \
      "Say what mana does", \
      "Say what mana does")
