// Kinds of values that only commands other than run and restart have: see option_kinds.hpp.
#pragma once
#include <runtime/tools/options/address_range.hpp>

#include <runtime/job/option_kinds.hpp>

#include <mana/gen/families.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mana::tools {

inline constexpr const char* default_directory = "mana-ckpt";       // of checkpoints, for all commands

/// A running job, named by its file or by its checkpoint directory.
struct job_reference {
  std::string file;                                // --job; "": the file in checkpoint_directory
  std::string checkpoint_directory = default_directory;
};

}  // namespace mana::tools

namespace mana::option {

/// The directory of existing checkpoints: a positional argument, --ckpt-dir, or the configuration file; with
/// --no-config.
struct place : text_kind {};
/// As place; or a job's file after --job.
struct running_job : kind<tools::job_reference, tools::job_reference> {};
/// The directory of later checkpoints, with --no-config; it need not exist.
struct future_place : text_kind {};
/// A required positional argument.
struct thing : text_kind {};
/// A required path of a file that need not exist.
struct new_file : file_name {};
struct rank_number : kind<std::optional<std::uint32_t>, std::optional<std::uint32_t>> {};
struct generation_number : kind<std::optional<std::uint64_t>, std::optional<std::uint64_t>> {};
/// Not empty if given.
struct memory_range : kind<tools::address_range, tools::address_range> {};
/// A positional argument, or --core.
struct process_or_core : text_kind {};
/// A positional argument from a list.
template <class Kind>
struct listed : text_kind {
  static std::string parse(const std::string& text) {
    const std::vector<std::string> all = Kind::choices();
    if (std::find(all.begin(), all.end(), text) != all.end()) return text;
    throw wrong_value(fmt::format("{} not in {{{}}}", text, fmt::join(all, ",")));
  }
};
struct wait_place : listed<wait_place> { static std::vector<std::string> choices() { return {"local", "global"}; } };
/// A required positional argument.
struct shell_name : listed<shell_name> {
  static std::vector<std::string> choices() { return {"bash", "zsh", "fish"}; }
};
/// A positional argument. The command itself refuses an unknown topic, with similar ones.
struct guide_topic : text_kind {
  static std::vector<std::string> choices();
  static std::string parse(const std::string& text) { return text; }
};
/// No option: the arguments after the command's own, which belong to a program.
struct words_behind : kind<std::vector<std::string>, std::vector<std::string>> {};

}  // namespace mana::option
