// The one table of the options of `mana run` and `mana restart`. From its rows come the command line, the keys of the
// configuration file, shells' completions, the manual's pages, the guide's table, and the words for the lower half with
// their parser.
// INV-96 what the command line takes for an option of a run or a restart, the lower half understands.
#pragma once

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
      "Where checkpoints go (default: {default})", \
      "Where checkpoints go; made if it is not there (mode 0700). On several nodes: a shared file system. Each job " \
      "that runs has a directory of its own, see \"Several jobs\"") \
  ROW(interval_s, "--interval", duration, 0, "SECONDS", both, to_job, nothing, nothing, checkpoints, \
      "Take a checkpoint every so many seconds (default: none by itself)", \
      "Take a checkpoint every SECONDS seconds; without it none is taken on a schedule") \
  ROW(keep, "--keep", kept, "2", "N", both, to_job, nothing, nothing, checkpoints, \
      "Keep the newest N checkpoints, and what they build on (1 … 1000, or all; default: {default})", \
      "Keep the newest N checkpoints, 1 to 1000 or `all`, and those that they build on, whichever programs in DIR " \
      "they are of. One that a restart found damaged does not count") \
  ROW(stop_after_s, "--stop-after", duration, 0, "SECONDS", both, to_job, nothing, nothing, checkpoints, \
      "After so many seconds, take a checkpoint and end the job", \
      "Checkpoint and exit SECONDS seconds after the start or the restart. Allow time for writing") \
  ROW(checkpoint_on, "--checkpoint-on", signals, "", "SIGNALS", both, to_job, nothing, nothing, checkpoints, \
      "Take a checkpoint when a rank gets one of these signals", \
      "Take a checkpoint when a rank gets one of these signals: names or numbers, with commas between them " \
      "(`USR1,XCPU`)") \
  ROW(stop_on, "--stop-on", signals, "", "SIGNALS", both, to_job, nothing, nothing, checkpoints, \
      "When a rank gets one of these signals, take a checkpoint and end the job", \
      "When a rank gets one of these signals, take a checkpoint and end the job") \
  ROW(stopped_status, "--stopped-status", status, static_cast<int>(exit_status::stopped), "N", both, to_job, nothing, nothing, checkpoints, \
      "Exit status of a job that a checkpoint ended, as it was asked to (0 … 255, default: {default})", \
      "Exit status of a job that a checkpoint ended, as `--stop-on`, `--stop-after`, the program or `mana " \
      "checkpoint --stop` asked (0 to 255). See \"When it was stopped\"") \
  ROW(limit_s, "--limit", duration, 0, "SECONDS", both, to_job, nothing, nothing, checkpoints, \
      "Give up a checkpoint for which the ranks do not get ready within so many seconds; the program runs on", \
      "Give up a checkpoint if the ranks do not reach a safe point within SECONDS, or if messages in flight do not " \
      "arrive within SECONDS after that. The program runs on; the message names ranks, peers, communicators and " \
      "threads. Default: 600") \
  ROW(mpi, "--mpi", mpi_name, "", "NAME", both, to_tool, nothing, nothing, ranks, \
      "mpich, openmpi or none: the MPI that the program uses, where it cannot be seen", \
      "`mpich`, `openmpi` or `none`: the MPI that the program uses, where it cannot be seen") \
  ROW(clock, "--clock", clock_name, "", "NAME", both, to_job, nothing, nothing, ranks, \
      "How ranks agree on where to stop: {choices} (default: {default})", \
      "How the ranks agree on where to stop: `needs`; `needs_gated` (what no rank had begun at the request is " \
      "begun only if a rank that is behind depends on it); and for comparison `hybrid_two_phase`, " \
      "`collective_clock` (as it was published: it may not come to an end where ranks wait for messages, and gives " \
      "up after `--limit`), `two_phase_commit` (a barrier before each collective, always: slow, may stop a program " \
      "that sends after a broadcast, refuses non-blocking collectives and MPI_Comm_create_group). A restart may " \
      "take another one") \
  ROW(clock_trace, "--clock-trace", trace_directory, "", "DIR", both, to_job, nothing, nothing, ranks, \
      "Write down in this directory what each rank's clock is told and says, for mana-clock-replay", \
      "Each rank writes down there what the clock was told and said around checkpoints, to be checked by " \
      "`mana-clock-replay DIR` (docs/design/clock.md). DIR is made if it is not there; jobs add their files to it") \
  ROW(fan_out, "--fan-out", fan_out, clock::default_fan_out, "K", both, to_job, nothing, nothing, ranks, \
      "Ranks per relay of the control network (default: {default})", \
      "Ranks per relay of the control network, 2 to 65536: a process speaks with so many others at most. Jobs of " \
      "up to K+1 ranks have no relays. A restart may take another one") \
  ROW(local, "--local", local_directory, "", "DIR", both, to_job, nothing, nothing, images, \
      "Write images to this directory of each node first, and copy them while the program runs on; %n is the " \
      "node's name", \
      "Two levels: each rank writes its image to DIR of its node (a disk or memory, `/dev/shm`) first, the program " \
      "goes on, and the image is copied to the directory of checkpoints while it runs. DIR is an absolute path, " \
      "`%n` in it is the node's name. See \"Two levels\" below. `mana restart` takes images from the nodes where " \
      "they are newer or nearer") \
  ROW(copy_every, "--copy-every", one_of, 1, "N", both, to_job, \
      (relation{"--local", "is of images on the nodes"}), nothing, images, \
      "With --local and --interval: copy one of so many checkpoints, and leave the others on the nodes alone " \
      "(default: {default})", \
      "Of the checkpoints that the interval takes, one of N is copied to the directory of checkpoints; the others " \
      "are on the nodes alone. What is asked for in another way (`mana checkpoint`, a signal, the program) is " \
      "copied. With `--incremental` what is copied is whole where the one before was not, and what stays on the " \
      "nodes holds changes. A node that cannot take an image costs no checkpoint: the next one, which follows at " \
      "once, goes to the directory") \
  ROW(redundancy, "--redundancy", scheme, "", "K+M", both, to_job, \
      (relation{"--local", "is of images on the nodes"}), \
      (relation{"--forked", "parity is computed by messages between the ranks, for which the program has to stand until the images are " \
       "written"}), images, \
      "With --local: the images of any M of K+M ranks are rebuilt from those of the others, at a cost of M/K of " \
      "their size; 1+1 is a copy", \
      "The images on the nodes are divided into groups of at least K+M ranks, on different nodes where that is " \
      "possible, and each rank writes parity beside its image (M/K of its size) before the program goes on. The " \
      "images of any M ranks of a group can be rebuilt from those of the others when the job is restarted; `1+1` " \
      "is a copy on a partner's node. 1 ≤ K ≤ 32, 1 ≤ M ≤ 8; the job needs K+M ranks or more. `mana " \
      "restart` rebuilds what it finds lost with or without it") \
  ROW(compress, "--compress", packing, "auto", "HOW", both, to_job, nothing, nothing, images, \
      "How images are compressed: auto (default: lz4 where that makes a checkpoint shorter), none, lz4[:N], " \
      "zstd[:LEVEL]", \
      "How images are compressed: `none`, `lz4[:N]` (N: speed, 1 the best packed), `zstd[:LEVEL]`, or `auto` (lz4 " \
      "as long as the disk is slower than packing). A piece that does not shrink is stored as it is") \
  ROW(pack_threads, "--pack-threads", threads, "auto", "N", both, to_job, nothing, nothing, images, \
      "Compress by so many threads of each rank (1 … 64, or auto: as many as have idle cores; default: {default})", \
      "So many threads of each rank compress its image (1 to 64), or `auto`: the cores that the node's ranks may " \
      "use, divided by these ranks; with `--forked` less the program's threads, which run meanwhile; one at least, " \
      "16 at most. `mana inspect` says how many it was where it was more than one. The image is the same however " \
      "many they are (but which pieces `auto` compresses depends on the disk in any case). Each takes about 2 MiB " \
      "of memory, with high levels of zstd up to 7. Limits that a container sets on processor time are not seen: " \
      "say N there") \
  ROW(incremental, "--incremental", flag, false, "", both, to_job, nothing, nothing, images, \
      "Write only what changed since the checkpoint before", \
      "Images hold what changed since the checkpoint before, and refer to it for the rest. `mana inspect` says how " \
      "changes are found: by write protection in the page tables (Linux 6.7 and newer), by soft-dirty bits (older " \
      "kernels that have them, as Debian's; a program that uses these bits itself is disturbed) or by sums of all " \
      "pages. No privilege is needed") \
  ROW(full_every, "--full-every", one_of, 10, "N", both, to_job, nothing, nothing, images, \
      "With --incremental: of so many checkpoints one is whole (default: {default})", \
      "With `--incremental`: of N checkpoints at least one is whole, so that no image refers to more than N-1 " \
      "others. `mana compact` makes the newest whole") \
  ROW(by_reference, "--by-reference", flag, false, "", both, to_job, nothing, nothing, images, \
      "Leave out of images what is as it is in programs and libraries, which a restart needs then", \
      "Memory that is as it is in the program's own files and its libraries' is not written: images refer to the " \
      "files, by path and build id. A restart needs these files, of the same builds, where they were or where " \
      "`--map` says; it refuses others before any memory is mapped. `mana inspect` shows what refers to which " \
      "file. `mana compact` makes a checkpoint that needs none of them. Without it, where several ranks run on a " \
      "node, such memory is stored once for all of them, as `file-…` in the checkpoint, if that takes fewer " \
      "bytes than compressing it for each: from 2 ranks with `--compress none`, 3 with lz4 and auto, 4 with zstd") \
  ROW(forked, "--forked", flag, false, "", both, to_job, nothing, nothing, images, \
      "Let the program run on while a copy of each process writes", \
      "The program goes on as soon as a copy-on-write child of each rank holds its memory; the child writes. The " \
      "checkpoint exists when all have written, `mana checkpoint` returns then. A request meanwhile waits for the " \
      "next one. Where a device may write to the program's memory (RDMA), the image is written before the program " \
      "goes on, and `mana inspect` says so. Shared memory, files of data that are mapped and memory that madvise " \
      "keeps from children are always written before; a program or library that is overwritten in place meanwhile " \
      "makes the checkpoint fail") \
  ROW(max_rate, "--max-rate", size, 0, "BYTES", both, to_job, nothing, nothing, images, \
      "Write no more than so many bytes a second for each rank (100M, 2G; M is 2^20)", \
      "A rank writes no more than so many bytes a second to the directory of checkpoints: `4096`, `100M`, `2G`; K " \
      "is 2^10, M 2^20, G 2^30, T 2^40, with or without `B` or `iB` behind it") \
  ROW(nice, "--nice", niceness, 0, "N", both, to_job, nothing, nothing, images, \
      "With --forked or --local: how much less than the program what writes, or copies, is to get of a core (0 … " \
      "19)", \
      "How much less of a core than the program gets what writes (`--forked`, all its threads) or copies " \
      "(`--local`) while it runs (0 to 19)") \
  ROW(children, "--children", loss, "warn", "POLICY", both, to_job, nothing, nothing, program, \
      "When a checkpoint finds child processes that are alive, which no restart has: warn (default), refuse, ignore", \
      "Child processes that are alive at a checkpoint, which no restart has: `warn` (the checkpoint names them), " \
      "`refuse` (the checkpoint is given up with a message that names one, and the program runs on) or `ignore`") \
  ROW(sockets, "--sockets", loss, "warn", "POLICY", both, to_job, nothing, nothing, program, \
      "When a checkpoint finds connected sockets, which no restart has: warn (default), refuse, ignore", \
      "The same, for connected sockets") \
  ROW(cpu, "--cpu", cpu_level, "", "LEVEL", run, to_job, nothing, nothing, program, \
      "Let the program's libc use only what this level has, so that it can go on wherever that is: {choices}", \
      "Limit the program's libc to what this level of the x86-64 ABI has (`x86-64`, `x86-64-v2`, `-v3`, `-v4`), so " \
      "that its checkpoints go on on every processor of it; without, on those that have all that this one has. It " \
      "is done by GLIBC_TUNABLES. Libraries that ask the processor themselves (OpenBLAS: `OPENBLAS_CORETYPE`) have " \
      "settings of their own") \
  ROW(input, "--stdin", input_file, "", "FILE", both, to_rank, nothing, nothing, program, \
      "Read rank 0's standard input from this file, in which a restart goes on where the program was", \
      "Standard input of rank 0 is FILE, as if by `<FILE` behind the program's name; of other ranks nothing, as " \
      "launchers give it. After `mana restart` the program goes on in FILE behind what it had read. See \"Standard " \
      "input\" below") \
  ROW(moved, "--map", path_rules, {}, "OLD=NEW", restart, to_job, nothing, nothing, program, \
      "Look for the program's files that were under OLD under NEW; may be given again for other paths", \
      "What was under OLD at the checkpoint is looked for under NEW; as often as needed. See `mana restart` below") \
  ROW(lazy, "--lazy", flag, false, "", restart, to_job, nothing, nothing, program, \
      "Run the program before its memory is read: what is not compressed is read when it is used", \
      "The program runs before its memory is read. See `mana restart` below") \
  ROW(progress, "--progress", flag, false, "", restart, to_job, nothing, nothing, messages, \
      "Say how far it is, also where stderr is no terminal", \
      "Say how far the restart is, also where standard error is no terminal") \
  ROW(perf_map, "--perf-map", flag, false, "", both, to_job, nothing, nothing, messages, \
      "Write the names of functions to /tmp/perf-PID.map, for perf", \
      "Each rank writes the names of its functions to /tmp/perf-PID.map, for perf (see tools.md)") \
  ROW(no_config, "--no-config", flag, false, "", both, to_tool, nothing, nothing, messages, \
      "Do not read the configuration file", \
      "Leave the configuration file out (see below)") \
  ROW(verbose, "--verbose", flag, false, "", both, to_job, nothing, nothing, messages, \
      "Say what is done", \
      "Say what is done")
