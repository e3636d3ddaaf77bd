// The user's configuration file: options of `mana run` and `mana restart` that apply unless the command line says
// otherwise.
//
//     # a comment
//     [run]
//     compress = "zstd:3"
//     interval = 600
//     incremental = true
//     [restart]
//     map = ["/scratch/old=/scratch/new"]
//
// The format is a part of TOML: tables with one name, bare keys, texts in " (with \" \\ \t \n) or ', numbers, true,
// false, and lists of these on one line.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mana::tools {

struct configured_option {
  int line = 0;                          // in the file, from 1
  std::string section;                   // "run", "restart"
  std::string key;                       // name of the option, without "--"
  std::vector<std::string> values;       // as on the command line; true and false as these words
  bool is_list = false;
};

/// The first error in a configuration.
struct configuration_error {
  int line = 0;                          // 0: no error
  std::string key;                       // may be empty
  std::string what;
};

struct configuration {
  std::vector<configured_option> options;
  configuration_error error;             // of the first wrong line; then there are no options
};

inline constexpr std::size_t most_configuration_bytes = 64u << 10;

/// Checks the format, not the options. Accepts any text; throws only std::bad_alloc.
configuration parse_configuration(std::string_view text);

}  // namespace mana::tools
