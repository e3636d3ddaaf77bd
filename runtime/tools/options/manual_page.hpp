// Manual pages, made from the definition of the command line.
#pragma once
#include <string>
#include <vector>

namespace CLI { class App; }

namespace mana::tools {

struct manual_page {
  std::string name;        // of the file: "mana-run.1"
  std::string text;        // troff with man(7)'s macros, ASCII
};

/// out: mana(1), and one page for each command
/// in:  version  for the footer of the pages
std::vector<manual_page> manual_pages(const CLI::App& app, const std::string& version);

}  // namespace mana::tools
