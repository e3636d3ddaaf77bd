// The words with which `mana run` and `mana restart` become a lower half. A protocol between two of our programs of one
// installation: no abbreviations, no defaults that a user would care about.
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

/// What users say, by the rows of the table.
struct job_options {
#define MANA_MEMBER(member, name, kind, default_value, ...) \
  option::kind::value member = option::initial<option::kind>(default_value);
  MANA_RUN_OPTIONS(MANA_MEMBER)
#undef MANA_MEMBER
};

/// A process under mana that has executed another program.
enum class taken_along { no, rank, child };

struct start_options : job_options {
  bool restart = false;
  bool is_linked_with_mpi = true;      // run: the program; an interpreter may load MPI later
  std::string generation;              // restart: directory of checkpoints, or of one, …/gen-N; that one when it is chosen
  std::string preload;                 // run: tools, then the wrapper library of the upper half; colons between
  std::string abi;                     // run: of the wrapper library: "mpich", …, "none"
  std::string tool;                    // run: the command `mana`, which goes along when the program executes another
  std::string program;                 // run: file of the program; empty: command[0]
  taken_along as = taken_along::no;    // run: which process this is, if it was another program before
  std::optional<std::uint64_t> mask;   // run: signals that the program finds blocked; else as this process does
  std::string filtered;                // run: by the filter that this process has; see split::start_options
  std::string launcher;                // run: standard descriptors that it gave; see descriptors::standard_files
  int input_count = -1;                // run: descriptor of what counts reads of the launcher's standard input; -1: none
  std::vector<std::string> inherited;  // run: of these words, those that the next program is started with
  std::vector<std::string> command;    // run: program (a path) and its arguments

  /// run: the file of the program. Its first argument is the name by which the program was called.
  const std::string& program_named() const noexcept { return program.empty() ? command[0] : program; }
};

/// How images are written, as users say.
image::saving saving_of(const job_options& options);

/// run --preload LIB OPTIONS -- PROGRAM ARGS…
/// restart DIR OPTIONS, or DIR/gen-N: that one and no other
/// OPTIONS: of the table, those that go to the lower half, with --ckpt-dir always; a set of signals is a number
///          run only: --linked yes|no --abi NAME --tool FILE --program FILE --taken-along rank|child --mask SET --filtered WORDS
///          --launcher FILES --input-count DESCRIPTOR
/// in:     argv without the program's own name
/// errors: start_failure (usage)
start_options parse_start_options(const std::vector<std::string>& words);

}  // namespace mana::job
