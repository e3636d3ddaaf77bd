// Pages of the manual and completions: every word of the definition is in them.
#include <runtime/tools/options/command_app.hpp>
#include <runtime/tools/options/completion.hpp>
#include <runtime/tools/options/manual_page.hpp>
#include <runtime/tools/options/option_words.hpp>
#include <runtime/words/exit_status_texts.hpp>

#include "../temporary_directory.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cstdio>

namespace tools_pages_tests {

using namespace mana::tools;

namespace {

struct definition {
  definition() { build_app(app, values); }
  CLI::App app;
  parsed values;
};

std::string escaped(std::string name) {
  for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2) name.insert(at, "\\");
  return name;
}

std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> part;
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), n);
  CHECK(pclose(pipe) == 0);
  return text;
}

bool is_there(const std::string& program) { return std::system(("command -v " + program + " >/dev/null").c_str()) == 0; }

}  // namespace

TEST_CASE("every command has a page, every option is in it") {
  const definition mana;
  const auto pages = manual_pages(mana.app, "1.2.3");
  REQUIRE(pages.size() == commands_of(mana.app).size() + 1);
  for (const mana::exit_status_row& row : mana::exit_statuses)
    CHECK(pages[0].text.find(fmt::format(".B {}\n", static_cast<int>(row.status))) != std::string::npos);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const CLI::App& command = i == 0 ? mana.app : *commands_of(mana.app)[i - 1];
    CAPTURE(pages[i].name);
    if (i > 0) CHECK(pages[0].text.find(escaped("mana-" + command.get_name())) != std::string::npos);
    CHECK(pages[i].text.find("1.2.3") != std::string::npos);
    for (const char c : pages[i].text) CHECK(static_cast<unsigned char>(c) < 0x80);
    for (const option_words& o : options_of(command))
      for (const std::string& name : o.names) {
        CAPTURE(name);
        CHECK(pages[i].text.find("\\f" + std::string(o.positional ? "I" : "B") + escaped(name) + "\\fR") != std::string::npos);
      }
  }
}

TEST_CASE("troff has nothing to say against the pages") {
  if (!is_there("groff")) return;
  const temporary_directory own;
  const definition mana;
  std::string files;
  for (const manual_page& page : manual_pages(mana.app, "1")) files += " " + own.write(page.name, page.text).string();
  CHECK(output_of("groff -man -ww -z" + files + " 2>&1") == "");
}

TEST_CASE("every option of every command is in each completion") {
  const definition mana;
  const std::string bash = bash_completion(mana.app), zsh = zsh_completion(mana.app), fish = fish_completion(mana.app);
  for (const CLI::App* command : commands_of(mana.app)) {
    CHECK(fish.find("-a " + command->get_name() + " ") != std::string::npos);
    for (const option_words& o : options_of(*command)) {
      if (o.positional) continue;
      CAPTURE(o.names.back());
      CHECK(bash.find(o.names.back()) != std::string::npos);
      CHECK(zsh.find("'" + o.names.back() + "[") != std::string::npos);
      CHECK(fish.find("-l " + o.names.back().substr(2) + " ") != std::string::npos);
    }
  }
}

TEST_CASE("a real bash completes words") {
  if (!is_there("bash")) return;
  const temporary_directory own;
  const definition mana;
  own.write("completion", bash_completion(mana.app));
  own.write("some file", "");
  std::filesystem::create_directory(own.path() / "directory");
  /// What bash would insert for the last of these words.
  const auto completed = [&own](const std::string& words) {
    own.write("ask", fmt::format("cd {}\n. ./completion\nCOMP_WORDS=({})\nCOMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n"
                                 "_mana\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n", own.path().string(), words));
    return output_of("bash -eu " + (own.path() / "ask").string());
  };
  CHECK(completed("mana re") == "restart\n");
  CHECK(completed("mana compl") == "completion\n");
  CHECK(completed("mana che") == "checkpoint\n");
  CHECK(completed("mana run --incr") == "--incremental\n");
  CHECK(completed("mana run --interval 3 --forked --comp") == "--compress\n");
  CHECK(completed("mana run --children ''") == "warn\nrefuse\nignore\n");
  CHECK(completed("mana run --children = re") == "refuse\n");
  CHECK(completed("mana run --mpi ''") == "mpich\nopenmpi\nstandard\nnone\n");
  CHECK(completed("mana run --clock coll") == "collective_clock\n");
  CHECK(completed("mana run --compress ''") == "auto\nnone\nlz4\nzstd\n");
  CHECK(completed("mana run --ckpt-dir ''") == "directory\n");
  CHECK(completed("mana run --ckpt-dir = ''") == "directory\n");
  CHECK(completed("mana run ./app --in") == "\n");                       // the program's own
  CHECK(completed("mana completion f") == "fish\n");
  CHECK(completed("mana extract --o") == "--output\n");
  CHECK(completed("mana nonsense --o") == "\n");
}

}  // namespace tools_pages_tests
