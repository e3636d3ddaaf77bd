// The form of `--help`: usage lines with mana's place in the command line, groups of options, an example.
#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace mana::tools {

/// The lines of a command's usage, without "Usage:".
/// in: command  of the definition of the command line, or that definition itself
std::vector<std::string> usage_of(const CLI::App& command);

/// in: lines  command lines
/// out: the text after a command's options; empty if there are no lines
std::string example_text(const std::string& lines);

/// The lines of a command's example.
std::vector<std::string> example_of(const CLI::App& command);

class help_format : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace mana::tools
