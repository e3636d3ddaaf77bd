#include <runtime/tools/options/configured_words.hpp>

#include <runtime/tools/options/command_app.hpp>
#include <runtime/tools/options/configuration.hpp>
#include <runtime/tools/text/failure.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace mana::tools {
namespace {

/// The file may not set these.
const std::set<std::string> own_to_the_command_line{"help", "no-config"};
constexpr const char* directory_key = "ckpt-dir";
constexpr const char* names_of_directory[] = {"DIR", "WHAT", "--job", "--ckpt-dir"};

class reader {
 public:
  explicit reader(const configuration_file& file) : path_(file.path), content_(parse_configuration(file.text)) {
    if (content_.error.line != 0) refuse(content_.error.line, content_.error.key, content_.error.what);
    for (const configured_option& o : content_.options) check(o);
  }

  std::vector<std::string> words_for(const CLI::App& given) const {
    std::vector<std::string> words;
    for (const configured_option& o : content_.options) {
      if (!is_for(o, given)) continue;
      const CLI::Option* const option = given.get_option_no_throw("--" + o.key);
      if (option == nullptr || option->count() != 0) continue;
      const auto more = words_of(o, *option);
      words.insert(words.end(), more.begin(), more.end());
    }
    return words;
  }

 private:
  [[noreturn]] void refuse(int line, const std::string& key, const std::string& what) const {
    throw failure(exit_status::usage, fmt::format("{}:{}: {}{}{}", path_, line, key, key.empty() ? "" : ": ", what),
                  "correct the configuration file, or use --no-config");
  }

  bool is_for(const configured_option& o, const CLI::App& given) const {
    if (o.key == directory_key && is_directory_named(given)) return false;
    if (o.section == given.get_name()) return true;
    if (given.get_name() == "restart") return o.section == "run" && !is_said("restart", o.key);
    return o.section == "run" && o.key == directory_key;
  }

  bool is_said(const std::string& section, const std::string& key) const {
    return std::any_of(content_.options.begin(), content_.options.end(),
                       [&](const configured_option& o) { return o.section == section && o.key == key; });
  }

  std::vector<std::string> words_of(const configured_option& o, const CLI::Option& option) const {
    const bool flag = option.get_items_expected_max() == 0;
    if (o.is_list && option.get_items_expected_max() < 2)
      refuse(o.line, o.key, "takes one value, not a list");
    if (flag && o.values != std::vector<std::string>{"true"} && o.values != std::vector<std::string>{"false"})
      refuse(o.line, o.key, "is true or false");
    std::vector<std::string> words;
    for (const std::string& value : o.values)
      if (!flag) words.push_back(fmt::format("--{}={}", o.key, value));
      else if (value == "true") words.push_back("--" + o.key);
    return words;
  }

  /// Uses the command's own definition.
  void check(const configured_option& o) const {
    if (o.section != "run" && o.section != "restart") refuse(o.line, o.key, "there is no section [" + o.section + "]");
    CLI::App app;
    parsed values;
    build_app(app, values);
    const CLI::Option* const option = app.get_subcommand(o.section)->get_option_no_throw("--" + o.key);
    if (option == nullptr || own_to_the_command_line.contains(o.key))
      refuse(o.line, o.key, "mana " + o.section + " has no such option");
    std::vector<std::string> words = words_of(o, *option);
    words.insert(words.begin(), o.section);
    std::reverse(words.begin(), words.end());
    try {
      app.parse(words);
    } catch (const CLI::ParseError& error) {
      refuse(o.line, o.key, error.what());
    }
  }

  std::string path_;
  configuration content_;
};

}  // namespace

bool is_directory_named(const CLI::App& given) {
  return std::any_of(std::begin(names_of_directory), std::end(names_of_directory), [&](const char* name) {
    const CLI::Option* const option = given.get_option_no_throw(name);
    return option != nullptr && option->count() != 0;
  });
}

std::vector<std::string> configured_words(const configuration_file& file, const CLI::App& given) {
  return reader(file).words_for(given);
}

}  // namespace mana::tools
