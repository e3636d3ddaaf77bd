// Checks of option values for the parser, which keep the parser's own texts out of the help.
#pragma once
#include <runtime/tools/options/address_range.hpp>

#include <runtime/job/option_kinds.hpp>

#include <runtime/files/path_map.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mana::tools {

/// A check that asks the kind itself; the parser uses the kind's choices for help and completions.
template <class Kind>
CLI::Validator check_of() {
  std::string choices;
  if constexpr (requires { Kind::choices(); }) choices = fmt::format("{{{}}}", fmt::join(Kind::choices(), ","));
  return CLI::Validator(
      [](std::string& text) {
        try {
          if constexpr (requires(typename Kind::value v) { Kind::add(v, text); }) {
            typename Kind::value once;
            Kind::add(once, text);
          } else {
            Kind::parse(text);
          }
          return std::string();
        } catch (const option::wrong_value& wrong) {
          return std::string(wrong.what());
        }
      },
      choices);
}
/// Replaces the text by the number of bytes.
template <>
CLI::Validator check_of<option::size>();
/// Names or numbers of signals.
template <>
CLI::Validator check_of<option::signals>();
/// Short names of MPIs.
template <>
CLI::Validator check_of<option::live_mpi_name>();
template <>
CLI::Validator check_of<option::abi_name>();

/// A process number.
const CLI::Validator& a_process();
/// Digits only.
const CLI::Validator& a_number();
/// A memory range that is not empty: "0x2000-0x3000".
const CLI::Validator& a_range();

/// in:     rules  each rule was checked alone
/// errors: failure (usage): two rules have the same path
files::path_map path_map_of(const std::vector<std::string>& rules);

/// errors: std::invalid_argument with a sentence
address_range parse_address_range(const std::string& text);

}  // namespace mana::tools
