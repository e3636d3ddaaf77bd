// What the values of options may be: checks for the parser, without words of the parser's in the help.
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

/// What this kind takes, asked of the kind itself; its choices are the parser's for help and completions.
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
/// The text becomes the number of bytes.
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

/// A number of a process.
const CLI::Validator& a_process();
/// Digits and nothing else.
const CLI::Validator& a_number();
/// A piece of memory that is not empty: "0x2000-0x3000".
const CLI::Validator& a_range();

/// in:     rules  that were checked one by one
/// errors: failure (usage): two of them are of one path
files::path_map path_map_of(const std::vector<std::string>& rules);

/// errors: std::invalid_argument with a sentence
address_range parse_address_range(const std::string& text);

}  // namespace mana::tools
