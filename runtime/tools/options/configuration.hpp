// The user's configuration file: options of `mana run` and `mana restart` that hold where the command line does not say
// otherwise.
//
//   # a comment
//   [run]
//   compress = "zstd:3"
//   interval = 600
//   incremental = true
//   [restart]
//   map = ["/scratch/old=/scratch/new"]
//
// The form is a part of TOML: tables of one name, bare keys, texts in " (with \" \\ \t \n) or ', numbers, true, false,
// and lists of these on one line.
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
  std::vector<std::string> values;       // as on the command line; of true and false these words
  bool is_list = false;
};

/// Why a text is no configuration.
struct configuration_error {
  int line = 0;                          // 0: it is all right
  std::string key;                       // may be empty
  std::string what;
};

struct configuration {
  std::vector<configured_option> options;
  configuration_error error;             // of the first line that is wrong; then there are no options
};

inline constexpr std::size_t most_configuration_bytes = 64u << 10;

/// Knows the form, not the options. Any text is answered; nothing is thrown but std::bad_alloc.
configuration parse_configuration(std::string_view text);

}  // namespace mana::tools
