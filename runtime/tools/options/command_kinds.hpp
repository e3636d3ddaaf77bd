// Kinds of values that only commands other than run and restart have, and how they are given: see option_kinds.hpp.
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

inline constexpr const char* default_directory = "mana-ckpt";       // of checkpoints, of all commands

/// A running job, by its file or by its checkpoint directory.
struct job_reference {
  std::string file;                                // --job, "" = the one in checkpoint_directory
  std::string checkpoint_directory = default_directory;
};

}  // namespace mana::tools

namespace mana::option {

/// Where checkpoints are: a word, or --ckpt-dir, or as configured, with --no-config.
struct place : text_kind {};
/// A place, or a job's file by --job.
struct running_job : kind<tools::job_reference, tools::job_reference> {};
/// Where checkpoints will go, with --no-config; it need not be there.
struct future_place : text_kind {};
/// A word that must be given.
struct thing : text_kind {};
/// A required path, which need not exist yet.
struct new_file : file_name {};
struct rank_number : kind<std::optional<std::uint32_t>, std::optional<std::uint32_t>> {};
struct generation_number : kind<std::optional<std::uint64_t>, std::optional<std::uint64_t>> {};
/// Not empty where it is given.
struct memory_range : kind<tools::address_range, tools::address_range> {};
/// A word, or else --core.
struct process_or_core : text_kind {};
/// A word of a list.
template <class Kind>
struct listed : text_kind {
  static std::string parse(const std::string& text) {
    const std::vector<std::string> all = Kind::choices();
    if (std::find(all.begin(), all.end(), text) != all.end()) return text;
    throw wrong_value(fmt::format("{} not in {{{}}}", text, fmt::join(all, ",")));
  }
};
struct wait_place : listed<wait_place> { static std::vector<std::string> choices() { return {"local", "global"}; } };
/// A word that must be given.
struct shell_name : listed<shell_name> {
  static std::vector<std::string> choices() { return {"bash", "zsh", "fish"}; }
};
/// No option: the words behind the command's own, which are a program's.
struct words_behind : kind<std::vector<std::string>, std::vector<std::string>> {};

}  // namespace mana::option
