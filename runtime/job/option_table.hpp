// The one table of the options of `mana run` and `mana restart`. Its rows give the command line, the keys of the
// configuration file, the shells' completions, the manual pages, the guide's table, and the lower half's words with
// their parser.
// INV-96 the lower half understands every option of a run or a restart that the command line accepts.
#pragma once

// ROW(member, name, kind, default, value, commands, goes, needs, excludes, group, help, guide)
//   member    in run_options (as given) and in start_options (as the lower half uses it)
//   kind      a class of option_kinds.hpp: the valid values
//   default   as given on the command line
//   value     the value's name in help, which says its unit: SECONDS, BYTES; a flag has none
//   commands  run, restart or both
//   goes      to_job: to the lower half, and to programs that the program executes; to_rank: to the lower half only;
//             to_tool: to neither
//   needs, excludes   (another option, why), or nothing. `mana` refuses a command line that breaks the relation
//   group     its heading in help
//   help      text for the command line, completions and the manual; {default} and {choices} are filled in from the row
//   guide     text for docs/user_guide.md, in Markdown; the page prints command, default, needs and excludes beside it
#define MANA_RUN_OPTIONS(ROW) \
  ROW(checkpoint_directory, "--ckpt-dir", file_name, "mana-ckpt", "DIR", both, to_job, nothing, nothing, where, \
      "Directory of the checkpoints (default: {default})", \
      "Directory of the checkpoints, created with mode 0700. On several nodes: on a shared file system. [One " \
      "directory for each job](guide/where-checkpoints-go.md#several-jobs)") \
  ROW(local, "--local", local_directory, "", "DIR", both, to_job, nothing, nothing, where, \
      "Write images to DIR on each node first, and copy them while the program runs; %n is the node's name", \
      "[Two levels](guide/where-checkpoints-go.md#two-levels): write each image to DIR on its node first, then " \
      "copy it while the program runs. `%n` is the node's name") \
  ROW(copy_every, "--copy-every", one_of, 1, "N", both, to_job, \
      (relation{"--local", "is for images on the nodes"}), nothing, where, \
      "With --local and --interval: copy every Nth checkpoint, leave the others on the nodes (default: {default})", \
      "Copy every Nth checkpoint of `--interval` to the checkpoint directory; the others stay on the nodes. " \
      "Requested checkpoints are always copied") \
  ROW(redundancy, "--redundancy", scheme, "", "K+M", both, to_job, \
      (relation{"--local", "is for images on the nodes"}), \
      (relation{"--forked", "the ranks compute parity by messages while the program stands"}), where, \
      "With --local: rebuild the images of any M of K+M ranks from the others, for M/K of their size; 1+1 is a copy", \
      "Parity beside the images on the nodes: a restart rebuilds the images of any M of K+M ranks. See [two " \
      "levels](guide/where-checkpoints-go.md#two-levels)") \
  ROW(interval_s, "--interval", duration, 0, "SECONDS", both, to_job, nothing, nothing, when, \
      "Checkpoint automatically every SECONDS seconds (default: off)", \
      "Checkpoint automatically every SECONDS seconds. Default: off. See [choosing an interval](guide/interval.md)") \
  ROW(stop_after_s, "--stop-after", duration, 0, "SECONDS", both, to_job, nothing, nothing, when, \
      "Checkpoint after SECONDS seconds and end the job (default: off)", \
      "Checkpoint SECONDS seconds after the start or the restart, and end the job. Allow time for writing. " \
      "Default: off") \
  ROW(checkpoint_on, "--checkpoint-on", signals, "", "SIGNALS", both, to_job, nothing, nothing, when, \
      "Checkpoint when a rank receives one of these signals: names or numbers, separated by commas (USR1,XCPU)", \
      "Checkpoint when a rank receives one of these signals: names or numbers, separated by commas (`USR1,XCPU`)") \
  ROW(stop_on, "--stop-on", signals, "", "SIGNALS", both, to_job, nothing, nothing, when, \
      "Checkpoint and end the job when a rank receives one of these signals", \
      "Checkpoint and end the job when a rank receives one of these signals") \
  ROW(stopped_status, "--stopped-status", status, static_cast<int>(exit_status::stopped), "N", \
      both, to_job, nothing, nothing, when, \
      "Exit status of a job that was saved and stopped on request (0 to 255, default: {default})", \
      "Exit status of a job that was saved and [stopped on " \
      "request](guide/run-and-checkpoint.md#after-it-was-stopped), 0 to 255") \
  ROW(limit_s, "--limit", duration, 0, "SECONDS", both, to_job, nothing, nothing, when, \
      "Give up a checkpoint if the ranks are not ready within SECONDS seconds; the program continues (default: 600)", \
      "Give up a checkpoint if ranks reach no safe point within SECONDS, or messages need longer after that. The " \
      "program continues. Default: 600") \
  ROW(keep, "--keep", kept, "2", "N", both, to_job, nothing, nothing, how_much, \
      "Keep the newest N checkpoints, and those they build on (1 to 1000, or all; default: {default})", \
      "Keep the newest N checkpoints (1 to 1000, or `all`), and [those they build " \
      "on](guide/where-checkpoints-go.md#which-checkpoints-stay-and-which-may-i-delete)") \
  ROW(compress, "--compress", packing, "auto", "HOW", both, to_job, nothing, nothing, how_much, \
      "Compress images: auto (the default: lz4 while the disk is slower), none, lz4[:N] or zstd[:LEVEL]", \
      "Compress images: `none`, `lz4[:N]` (N: speed; 1 packs best), `zstd[:LEVEL]`, or `auto` (lz4 as long as the " \
      "disk is slower)") \
  ROW(incremental, "--incremental", flag, false, "", both, to_job, nothing, nothing, how_much, \
      "Write only what has changed since the previous checkpoint", \
      "Write only what has changed since the previous checkpoint; the image refers to older ones. See [less " \
      "space](guide/where-checkpoints-go.md#less-space)") \
  ROW(full_every, "--full-every", one_of, 10, "N", both, to_job, nothing, nothing, how_much, \
      "With --incremental: make every Nth checkpoint whole (default: {default})", \
      "With `--incremental`: make at least one of N checkpoints whole, so that no image refers to more than N-1 " \
      "others") \
  ROW(by_reference, "--by-reference", flag, false, "", both, to_job, nothing, nothing, how_much, \
      "Leave out memory that equals program and library files, which a restart then needs", \
      "Leave out memory that equals files of the program and its libraries. A restart needs [the same " \
      "builds](guide/where-checkpoints-go.md#less-space) of these files") \
  ROW(forked, "--forked", flag, false, "", both, to_job, nothing, nothing, how_fast, \
      "Continue the program while a copy of each process writes its image", \
      "The program continues while a copy-on-write child of each rank writes its image. See " \
      "[faster](guide/where-checkpoints-go.md#faster)") \
  ROW(pack_threads, "--pack-threads", threads, "auto", "N", both, to_job, nothing, nothing, how_fast, \
      "Compress with N threads per rank (1 to 64; auto: as many as there are idle cores; default: {default})", \
      "Compress each rank's image with N threads, 1 to 64. `auto`: the rank's share of idle cores. See " \
      "[faster](guide/where-checkpoints-go.md#faster)") \
  ROW(max_rate, "--max-rate", size, 0, "BYTES", both, to_job, nothing, nothing, how_fast, \
      "Limit each rank to BYTES per second when it writes (100M, 2G; M is 2^20; default: off)", \
      "Limit each rank's writing to BYTES per second: `4096`, `100M`, `2G`. K is 2^10, M 2^20, G 2^30, T 2^40. " \
      "Default: off") \
  ROW(nice, "--nice", niceness, 0, "N", both, to_job, nothing, nothing, how_fast, \
      "With --forked or --local: lower the priority of writing and copying by N (0 to 19)", \
      "Lower the priority of writing (`--forked`) and copying (`--local`) while the program runs, by N, 0 to 19") \
  ROW(lazy, "--lazy", flag, false, "", restart, to_job, nothing, nothing, how_fast, \
      "Start the program before its memory is read; uncompressed memory is read when the program uses it", \
      "Start the program before its memory is read. See [faster](guide/restart-elsewhere.md#faster)") \
  ROW(mpi, "--mpi", live_mpi_name, "", "NAME", both, to_tool, nothing, nothing, program, \
      "Run over the live MPI NAME, or over none (default: the launcher's)", \
      "Run over the live MPI NAME, or over none. Default: the launcher's MPI") \
  ROW(abi, "--abi", abi_name, "", "NAME", run, to_tool, nothing, nothing, program, \
      "The MPI that the program was built with, if its libraries do not say: " MANA_MPI_NAMES, \
      "The MPI that the program was built with, if its libraries do not say: " MANA_MPI_NAMES) \
  ROW(tag_bound, "--tag-ub", tag_bound, 1048575, "N", both, to_job, nothing, nothing, program, \
      "The largest tag that the program is told (MPI_TAG_UB), if its live MPI has it: 32767 to 2147483647 (default: {default})", \
      "The largest tag that the program is told in MPI_Init (MPI_TAG_UB), 32767 to 2147483647, or the live MPI's if that is " \
      "lower. A restart [needs a live MPI with this bound](guide/restart-elsewhere.md#another-mpi). There this option is for " \
      "a program that has not called MPI_Init") \
  ROW(input, "--stdin", input_file, "", "FILE", both, to_rank, nothing, nothing, program, \
      "Rank 0 reads standard input from FILE; a restart continues at the program's place in FILE", \
      "Rank 0 reads standard input from FILE; other ranks have none. A restart [continues at its " \
      "place](guide/run-and-checkpoint.md#standard-input)") \
  ROW(moved, "--map", path_rules, {}, "OLD=NEW", restart, to_job, nothing, nothing, program, \
      "Look under NEW for the program's files that were under OLD; may be repeated", \
      "Look under NEW for files that were under OLD at the checkpoint. May be repeated. See [other " \
      "paths](guide/restart-elsewhere.md#other-paths)") \
  ROW(children, "--children", loss, "warn", "POLICY", both, to_job, nothing, nothing, program, \
      "If child processes live at a checkpoint, which no restart brings back: warn (the default), refuse the " \
      "checkpoint, or ignore", \
      "If child processes live at a checkpoint, which no restart brings back: `warn` names them, `refuse` gives up " \
      "the checkpoint, `ignore` says nothing") \
  ROW(sockets, "--sockets", loss, "warn", "POLICY", both, to_job, nothing, nothing, program, \
      "If sockets are connected at a checkpoint, which no restart connects again: warn (the default), refuse the " \
      "checkpoint, or ignore", \
      "The same for connected sockets") \
  ROW(cpu, "--cpu", cpu_level, "", "LEVEL", run, to_job, nothing, nothing, program, \
      "Limit the program's libc to this processor level, so that checkpoints restart on any processor that has it: " \
      "{choices}", \
      "Limit the program's libc to this level of the x86-64 ABI: checkpoints restart on [all its " \
      "processors](guide/restart-elsewhere.md#another-processor-can-i-continue-on-a-newer-machine)") \
  ROW(progress, "--progress", flag, false, "", restart, to_job, nothing, nothing, messages, \
      "Report progress even if standard error is not a terminal", \
      "Report the progress of the restart even if standard error is not a terminal") \
  ROW(verbose, "--verbose", flag, false, "", both, to_job, nothing, nothing, messages, \
      "Report what mana does", \
      "Report what mana does") \
  ROW(no_config, "--no-config", flag, false, "", both, to_tool, nothing, nothing, messages, \
      "Do not read the configuration file", \
      "Do not read [the configuration file](guide/configuration.md)") \
  ROW(clock, "--clock", clock_name, "", "NAME", both, to_job, nothing, nothing, experts, \
      "How the ranks agree where to stop: {choices} (default: {default})", \
      "How the ranks agree where to stop: one of the [clocks](clocks.md#choose-a-clock). A restart may choose " \
      "another one") \
  ROW(clock_trace, "--clock-trace", trace_directory, "", "DIR", both, to_job, nothing, nothing, experts, \
      "Record what each rank's clock is told and answers in DIR, for mana-clock-replay", \
      "Record in DIR what each rank's clock is told and answers, for [`mana-clock-replay`](design/clock.md). Jobs " \
      "may share DIR") \
  ROW(fan_out, "--fan-out", fan_out, clock::default_fan_out, "K", both, to_job, nothing, nothing, experts, \
      "Ranks per relay of the control network, 2 to 65536 (default: {default})", \
      "Ranks per relay of the control network, 2 to 65536. Jobs of up to K+1 ranks have no relays. A restart may " \
      "choose another value") \
  ROW(perf_map, "--perf-map", flag, false, "", both, to_job, nothing, nothing, experts, \
      "Write the names of functions to /tmp/perf-PID.map, for perf", \
      "Each rank writes the names of its functions to /tmp/perf-PID.map, for [perf](tools.md)")
