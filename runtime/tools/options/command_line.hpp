// The words of the command line, as values. Knows nothing of what they do.
#pragma once
#include <runtime/tools/options/address_range.hpp>
#include <runtime/tools/options/configuration_file.hpp>
#include <runtime/tools/options/run_options.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mana::tools {

struct run_command { run_options options; };
struct restart_command { run_options options; };

inline constexpr const char* default_directory = "mana-ckpt";       // of checkpoints, of all commands

/// A running job, by its file or by its checkpoint directory.
struct job_reference {
  std::string file;                                // --job, "" = the one in checkpoint_directory
  std::string checkpoint_directory = default_directory;
};
struct checkpoint_command {
  job_reference job;
  bool stop = false;
  double timeout_s = 0;
  std::string wait = "global";
  bool progress = false;
};
struct status_command { job_reference job; bool json = false; };
struct list_command { std::string directory = default_directory; bool json = false; };
/// what: a directory of checkpoints, a checkpoint in it, or an image. rank: this one's image only
struct inspect_command {
  std::string what = default_directory;
  std::optional<std::uint32_t> rank;
  bool regions = false, json = false;
};
struct verify_command {
  std::string directory = default_directory;
  std::optional<std::uint64_t> generation;         // only this one
  std::vector<std::string> moved;                  // as run_options::moved
  bool progress = false, json = false;
};
struct compact_command {
  std::string directory = default_directory, compress = "auto", pack_threads = "auto";
  std::vector<std::string> moved;                  // as run_options::moved
  bool progress = false, json = false;
};
struct diff_command {
  std::string first, second;                       // as inspect_command::what
  std::optional<std::uint32_t> rank;
  std::vector<std::string> moved;                  // as run_options::moved
  bool pages = false, progress = false, json = false;
};
/// One of section, range, core and all is set.
struct extract_command {
  std::string what = default_directory;            // as inspect_command::what
  std::optional<std::uint32_t> rank;
  std::string section;
  address_range range;
  std::vector<std::string> moved;                  // as run_options::moved
  bool core = false, all = false, progress = false, json = false;
  std::string output;                              // file; all: directory
};
struct completion_command { std::string shell; };
struct prune_command {
  std::string directory = default_directory, keep = "2";
  bool dry_run = false, progress = false, json = false;
};
/// A rank, running (pid) or by its core dump; the words behind are gdb's.
struct gdb_command { std::string pid, core; std::vector<std::string> words; };
/// What would keep a program (none: any) from running here.
struct doctor_command {
  std::string checkpoint_directory = default_directory;
  std::string mpi;                                 // short name, "" = find out
  bool json = false;
  std::vector<std::string> command;
};
/// Text was asked for (--help, --version): print it, status 0.
struct show_text { std::string text; };

using command = std::variant<run_command, restart_command, checkpoint_command, status_command, list_command,
                             inspect_command, verify_command, prune_command, compact_command, diff_command,
                             extract_command, gdb_command, doctor_command, completion_command, show_text>;

/// Gives the user's configuration file; nullopt: there is none.
using configuration_source = std::function<std::optional<configuration_file>()>;

/// in:     words  the command line without argv[0]
///         source asked for run and restart, and for what looks at checkpoints where the words do not say where; not
///                with --no-config; empty: there is no file
/// errors: failure (usage) with the parser's words; those of the source
command parse_command_line(const std::vector<std::string>& words, const configuration_source& source = {});

}  // namespace mana::tools
