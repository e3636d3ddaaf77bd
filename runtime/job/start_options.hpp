// The arguments with which `mana run` and `mana restart` become a lower half: a protocol between two programs of one
// installation, so it has no abbreviations, and no defaults for users.
#pragma once
#include <runtime/job/start_failure.hpp>

#include <runtime/job/option_kinds.hpp>
#include <runtime/job/option_table.hpp>

#include <runtime/image/save/image_saver.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mana::job {

/// The users' options, by the rows of the table.
struct job_options {
#define MANA_MEMBER(member, name, kind, default_value, ...) \
  option::kind::value member = option::initial<option::kind>(default_value);
  MANA_RUN_OPTIONS(MANA_MEMBER)
#undef MANA_MEMBER
};

/// Whether a process under mana has executed another program, and which process it is.
enum class taken_along { no, rank, child };

struct start_options : job_options {
  bool restart = false;
  bool is_linked_with_mpi = true;      // run: the program is linked with MPI; an interpreter may load MPI later
  // restart: directory of checkpoints, or of one, …/gen-N; after the choice that of the chosen checkpoint
  std::string generation;
  std::string preload;                 // run: tools, then the wrapper library of the upper half; separated by colons
  std::string abi;                     // run: of the wrapper library: "mpich", …, "none"
  std::string tool;                    // run: the command `mana`, for programs that the program executes
  std::string program;                 // run: file of the program; empty: command[0]
  taken_along as = taken_along::no;    // run: whether this process was another program before
  // run: signals that are blocked when the program starts; nothing: those of this process
  std::optional<std::uint64_t> mask;
  std::string filtered;                // run: system calls that this process's filter traps; see split::start_options
  std::string launcher;                // run: standard descriptors that it gave; see descriptors::standard_files
  // run: descriptor of the counter of reads from the launcher's standard input; -1: none
  int input_count = -1;
  std::vector<std::string> inherited;  // run: those of these words that the next program gets
  std::vector<std::string> command;    // run: program (a path) and its arguments

  /// run: the file of the program. The first argument is the name by which the program was called.
  const std::string& program_named() const noexcept { return program.empty() ? command[0] : program; }
};

/// The user's options about the writing of images.
image::saving saving_of(const job_options& options);

/// run      --preload LIB OPTIONS -- PROGRAM ARGS…
/// restart  DIR OPTIONS, or DIR/gen-N OPTIONS: only this checkpoint
/// OPTIONS  the table's options for the lower half, with --ckpt-dir always; a set of signals is a number
///          run only:  --linked yes|no --abi NAME --tool FILE --program FILE --taken-along rank|child --mask SET --filtered WORDS
///          --launcher FILES --input-count DESCRIPTOR
/// in:     argv without the program's own name
/// errors: start_failure (usage)
start_options parse_start_options(const std::vector<std::string>& words);

}  // namespace mana::job
