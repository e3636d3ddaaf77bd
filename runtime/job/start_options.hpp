// The words with which `mana run` and `mana restart` become a lower half. A protocol between two of our programs of one
// installation: no abbreviations, no defaults that a user would care about.
#pragma once
#include <runtime/job/start_failure.hpp>

#include <mana/clock/tree.hpp>

#include <runtime/files/path_map.hpp>
#include <runtime/image/save/image_saver.hpp>
#include <runtime/redundancy/scheme.hpp>
#include <runtime/store/retention.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mana::run {

/// What a checkpoint does about something that it cannot save.
enum class loss_policy {
  warn,      // it is named in the checkpoint
  refuse,    // the checkpoint is given up, with a message that names it; the program goes on
  ignore,
};

/// A process under mana that has executed another program.
enum class taken_along { no, rank, child };

struct start_options {
  bool restart = false;
  bool is_linked_with_mpi = true;      // run: the program; an interpreter may load MPI later
  std::string generation;              // restart: directory of checkpoints, or of one, …/gen-N; that one when it is chosen
  std::string checkpoint_directory;    // where checkpoints go
  double interval_s = 0;               // 0: none by itself
  double limit_s = 0;                  // time limit of the quiesce phase; 0: the runtime's own
  double stop_after_s = 0;             // 0: not by itself
  int stopped_status = static_cast<int>(exit_status::stopped);   // of a job that a checkpoint ended
  std::uint64_t checkpoint_signals = 0,
                stop_signals = 0;      // bit n-1: signal n asks for a checkpoint (that ends the job)
  std::string preload;                 // run: tools, then the wrapper library of the upper half; colons between
  std::string tool;                    // run: the command `mana`, which goes along when the program executes another
  std::string program;                 // run: file of the program; empty: command[0]
  taken_along as = taken_along::no;    // run: which process this is, if it was another program before
  std::optional<std::uint64_t> mask;   // run: signals that the program finds blocked; else as this process does
  std::string filtered;                // run: by the filter that this process has; see split::start_options
  std::string launcher;                // run: standard descriptors that it gave; see descriptors::standard_files
  int input_count = -1;                // run: descriptor of what counts reads of the launcher's standard input; -1: none
  std::string input;                   // standard input of rank 0, a file; empty: the launcher's
  std::vector<std::string> inherited;  // run: of these words, those that the next program is started with
  std::string cpu;                     // run: level of the x86-64 ABI that the program is limited to; empty: none
  std::string clock;                   // name of the clock policy; empty: the default
  std::string clock_trace;             // directory of the clock's traces; empty: none
  int fan_out = clock::default_fan_out;   // of the control tree, from clock::least_fan_out on
  std::string local;                   // where each node keeps images; empty: nowhere. See store::local_directory
  unsigned copy_every = 1;             // of the checkpoints that the interval takes: one of so many leaves the nodes
  redundancy::scheme redundancy;       // of the images on the nodes; 0+0: none
  std::size_t keep = store::kept_generations;   // sound checkpoints, or store::keep_all
  loss_policy children = loss_policy::warn, sockets = loss_policy::warn;   // processes that are alive; connected sockets
  image::saving saving;                // how images are written
  bool forked = false;                 // while the program runs on
  unsigned pack_threads = 0;           // of a rank, while its image is written; 0: as many as have idle cores
  bool lazy = false;                   // restart: the program runs before all of its memory is read
  bool progress = false;               // restart: say how far it is, also where stderr is no terminal
  paths::path_map moved;               // restart: where files are that had another path at the checkpoint
  bool perf_map = false;               // write down the names of the upper half's functions for perf
  bool verbose = false;
  std::vector<std::string> command;    // run: program (a path) and its arguments

  /// run: the file of the program. Its first argument is the name by which the program was called.
  const std::string& program_named() const noexcept { return program.empty() ? command[0] : program; }
};

/// run --preload LIB OPTIONS -- PROGRAM ARGS…
/// restart DIR OPTIONS, or DIR/gen-N: that one and no other
/// OPTIONS: --ckpt-dir DIR --interval S --limit S --stop-after S --stopped-status N --checkpoint-on SET --stop-on SET
///          --clock NAME --clock-trace DIR --fan-out K --children LOSS --sockets LOSS --perf-map --verbose
///          --compress HOW --incremental --full-every N --by-reference --forked --max-rate BYTES --nice N
///          --pack-threads N
///          --keep N|all --local DIR --copy-every N --redundancy K+M
///          --stdin FILE
///          run only: --linked yes|no --cpu LEVEL --tool FILE --program FILE --taken-along rank|child --mask SET --filtered WORDS
///          --launcher FILES --input-count DESCRIPTOR
///          restart only: --map OLD=NEW, as often as needed; --lazy; --progress
/// SET: a set of signals, decimal; LOSS: warn, refuse or ignore
/// in:     argv without the program's own name
/// errors: start_failure (usage)
start_options parse_start_options(const std::vector<std::string>& words);

}  // namespace mana::run
