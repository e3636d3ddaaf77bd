// Run by the build: writes the manual pages and the shells' completions below a directory, in their installed layout.
#include <runtime/tools/options/command_app.hpp>
#include <runtime/tools/options/completion.hpp>
#include <runtime/tools/options/manual_page.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(file.string() + ": cannot be written");
}

}  // namespace

int main(int argc, char** argv) try {
  using namespace mana::tools;
  if (argc != 3) throw std::runtime_error("usage: mana_write_pages DIRECTORY VERSION");
  const fs::path share = argv[1];
  CLI::App app;
  parsed values;
  build_app(app, values);
  for (const manual_page& page : manual_pages(app, argv[2])) write(share / "man/man1" / page.name, page.text);
  write(share / "bash-completion/completions/mana", bash_completion(app));
  write(share / "zsh/site-functions/_mana", zsh_completion(app));
  write(share / "fish/vendor_completions.d/mana.fish", fish_completion(app));
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
