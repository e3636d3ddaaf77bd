// Options that `mana run` and `mana restart` have in common.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>
#include <runtime/words/exit_status.hpp>

#include <mana/clock/tree.hpp>

#include <string>
#include <vector>

namespace mana::tools {

struct run_options {
  std::string checkpoint_directory = "mana-ckpt";
  double interval_s = 0;                 // 0: no checkpoints by themselves
  double limit_s = 0;                    // time limit of the quiesce phase; 0: the runtime's own
  double stop_after_s = 0;               // 0: not by itself
  int stopped_status = static_cast<int>(exit_status::stopped);   // of the ranks of a job that a checkpoint ended
  std::string checkpoint_on, stop_on;    // signals that ask for a checkpoint (that ends the job); see signal_names.hpp
  std::string mpi;                       // short name, "" = find out
  std::string cpu;                       // run: level of the x86-64 ABI to limit the program to, "" = none
  std::string clock;                     // name of a clock policy, "" = the default
  std::string clock_trace;               // directory of the clock's traces, "" = none
  int fan_out = clock::default_fan_out;  // ranks per relay of the control network
  std::string children = "warn",         // "warn", "refuse" or "ignore": child processes that are alive at a checkpoint
      sockets = "warn";                  // the same, for connected sockets
  std::string local;                     // where each node keeps images, "" = nowhere; see store::local_directory
  unsigned copy_every = 1;               // of the checkpoints that the interval takes: one of so many leaves the nodes
  std::string redundancy;                // "K+M", "" = none; see redundancy::scheme
  std::string compress = "auto";         // see image::parse_packing
  bool incremental = false;              // images hold what changed since the one before
  unsigned full_every = 10;              // but one of so many all
  bool by_reference = false;             // images refer to the program's files for what is as it is there
  bool forked = false;                   // the program runs on while its memory is written
  std::uint64_t max_rate = 0;            // bytes per second that a rank writes; 0: no limit
  std::string pack_threads = "auto";     // threads that pack a rank's image; see image::parse_pack_threads
  int nice = 0;                          // of what writes while the program runs on
  bool lazy = false;                     // restart: the program runs before all of its memory is read
  bool progress = false;                 // restart: say how far it is, also where stderr is no terminal
  std::string input;                     // standard input of rank 0, a file; "" = the launcher's
  std::string keep = "2";                // sound checkpoints that are kept, or "all"; see store::parse_keep
  std::vector<std::string> moved;        // restart: "OLD=NEW", where files are that had another path; see path_map.hpp
  bool perf_map = false;                 // each rank writes /tmp/perf-PID.map
  bool verbose = false;
  std::vector<std::string> command;      // run: program and its arguments
};

/// Words of a lower half for these options and this checkpoint directory. errors: failure (usage)
std::vector<std::string> lower_half_words(const run_options& options, const std::string& directory);

/// Becomes the lower half that runs options.command. Does not return. errors: failure
[[noreturn]] void run(const run_options& options, const environment& get);

/// Becomes the lower half that restarts the newest complete checkpoint of options.checkpoint_directory, and writes
/// later checkpoints there too. Does not return. errors: failure
[[noreturn]] void restart(const run_options& options, const environment& get);

}  // namespace mana::tools
