// `mana help`: shows a page of the guide. It needs no MPI, no job and no network.
#include <runtime/tools/launch/exec.hpp>
#include <runtime/tools/mpi/install_tree.hpp>
#include <runtime/tools/options/commands.hpp>
#include <runtime/tools/options/similar_words.hpp>
#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/plain_text.hpp>
#include <runtime/tools/text/text_table.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace mana::tools {
namespace {

namespace fs = std::filesystem;

std::string contents_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  if (!in)
    throw failure(exit_status::parts_missing, fmt::format("{}: this page of the guide cannot be read", file.string()));
  return text;
}

/// out: the names of the pages, in alphabetical order
std::vector<std::string> topics_in(const fs::path& guide) {
  std::vector<std::string> topics;
  std::error_code error;
  for (fs::directory_iterator entry(guide, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".md") topics.push_back(entry->path().stem().string());
  if (topics.empty())
    throw failure(exit_status::parts_missing,
                  fmt::format("this installation has no guide: {} has no pages", guide.string()),
                  "install mana again; mana --help and mana COMMAND --help need no files");
  std::ranges::sort(topics);
  return topics;
}

std::string list_of(const std::vector<std::string>& topics, const fs::path& guide) {
  text_table table({"topic", "page"});
  for (const std::string& topic : topics) table.add({topic, title_of(contents_of(guide / (topic + ".md")))});
  return fmt::format("{}\nmana help TOPIC shows a page, mana COMMAND --help the options of a command.\n", table.text());
}

[[noreturn]] void refuse(const std::string& topic, const std::vector<std::string>& topics) {
  const std::vector<std::string> similar = similar_words(topic, topics);
  throw failure(exit_status::usage, fmt::format("the guide has no page \"{}\"", topic),
                similar.empty() ? "list all pages: mana help"
                                : fmt::format("similar: {}; list all pages: mana help", fmt::join(similar, ", ")));
}

std::size_t columns_of_terminal() {
  constexpr std::size_t standard = 80, most = 100;
  winsize size{};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
  return is_known ? std::min<std::size_t>(size.ws_col, most) : standard;
}

/// The user's pager, or less. Where none runs, the text is printed as it is.
void show(const std::string& text, const environment& get) {
  const char* const wanted = get("PAGER");
  const std::string pager = wanted != nullptr ? wanted : find_command("less", get).empty() ? "" : "less";
  if (isatty(STDOUT_FILENO) == 1 && !pager.empty()) {
    setenv("LESS", "FRX", 0);             // less ends at once if the page fits on the screen
    std::fflush(stdout);
    if (std::FILE* const to = popen(pager.c_str(), "w")) {
      std::fputs(text.c_str(), to);
      if (pclose(to) == 0) return;
    }
  }
  fmt::print("{}", text);
}

bool is_command(const std::string& word) {
#define MANA_IS(name, ...) || word == typed(#name)
  return word == "run" || word == "restart" MANA_COMMANDS(MANA_IS);
#undef MANA_IS
}

std::string page_for(const help_command& wanted) {
  const fs::path guide = guide_directory();
  const std::vector<std::string> topics = topics_in(guide);
  if (wanted.topic.empty()) return list_of(topics, guide);
  if (!std::ranges::binary_search(topics, wanted.topic)) refuse(wanted.topic, topics);
  return plain_text(contents_of(guide / (wanted.topic + ".md")), columns_of_terminal());
}

}  // namespace

int help(const help_command& wanted, const environment& get) {
  if (is_command(wanted.topic)) show(std::get<show_text>(parse_command_line({wanted.topic, "--help"})).text, get);
  else show(page_for(wanted), get);
  return 0;
}

}  // namespace mana::tools
