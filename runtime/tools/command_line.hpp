// The words of the command line, as values. Knows nothing of what they do.
#pragma once
#include "run_options.hpp"

#include <string>
#include <variant>
#include <vector>

namespace mana::tools {

struct run_command { run_options options; };
struct restart_command { run_options options; };

/// A running job, by its file or by its checkpoint directory.
struct job_reference {
  std::string file;                                // --job, "" = the one in checkpoint_directory
  std::string checkpoint_directory = "mana-ckpt";
};
struct checkpoint_command { job_reference job; bool stop = false; double timeout_s = 0; };
struct status_command { job_reference job; bool json = false; };
struct inspect_command { std::string directory; bool json = false; };
struct verify_command { std::string directory; bool json = false; };
struct prune_command { std::string directory, keep = "2"; bool dry_run = false, json = false; };
/// A rank, running (pid) or by its core dump; the words behind are gdb's.
struct gdb_command { std::string pid, core; std::vector<std::string> words; };
/// What would keep a program (none: any) from running here.
struct doctor_command {
  std::string checkpoint_directory = "mana-ckpt";
  std::string mpi;                                 // short name, "" = find out
  bool json = false;
  std::vector<std::string> command;
};
/// Text was asked for (--help, --version): print it, status 0.
struct show_text { std::string text; };

using command = std::variant<run_command, restart_command, checkpoint_command, status_command, inspect_command,
                             verify_command, prune_command, gdb_command, doctor_command, show_text>;

/// in:     words  the command line without argv[0]
/// errors: failure (usage) with the parser's words
command parse_command_line(const std::vector<std::string>& words);

}  // namespace mana::tools
