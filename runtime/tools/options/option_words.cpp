#include <runtime/tools/options/option_words.hpp>

#include <algorithm>
#include <set>

namespace mana::tools {
namespace {

/// in: type  "POLICY:{warn,refuse,ignore}", as the parser builds it from its check
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> found;
  const std::size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return found;
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

option_words words_of(const CLI::Option& option) {
  option_words words;
  words.positional = option.get_positional();
  words.required = option.get_required();
  words.description = option.get_description();
  words.group = option.get_group();
  if (words.positional) words.names.push_back(option.get_name(true));
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  const std::string type = option.get_type_name();
  const bool has_value = words.positional || option.get_items_expected_min() > 0;
  words.choices = has_value ? choices_in(type) : std::vector<std::string>();
  if (has_value) words.value = words.positional ? words.names[0] : type.substr(0, type.find_first_of(":{"));
  words.directory = words.value == "DIR";
  static const std::set<std::string> paths{"DIR", "FILE", "WHAT", "A", "B"};
  words.path = paths.contains(words.value);
  return words;
}

}  // namespace

std::vector<option_words> options_of(const CLI::App& app) {
  std::vector<option_words> all;
  for (const CLI::Option* option : app.get_options()) all.push_back(words_of(*option));
  std::stable_partition(all.begin(), all.end(), [](const option_words& o) { return o.positional; });
  return all;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

}  // namespace mana::tools
