#include <runtime/tools/options/manual_page.hpp>

#include <runtime/tools/options/help_format.hpp>
#include <runtime/tools/options/option_words.hpp>
#include <runtime/words/exit_status_texts.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace mana::tools {
namespace {

/// Decodes the UTF-8 character that begins at text[at], and moves `at` to its last byte.
char32_t decoded(const std::string& text, std::size_t& at) {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned more = byte(at) >= 0xf0 ? 3 : byte(at) >= 0xe0 ? 2 : 1;
  char32_t value = byte(at) & (0x3fu >> more);
  for (unsigned i = 0; i < more && at + 1 < text.size(); ++i) value = value << 6 | (byte(++at) & 0x3fu);
  return value;
}

/// Escapes a text so that troff prints it literally.
std::string plain(const std::string& text) {
  std::string safe;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (static_cast<unsigned char>(text[at]) >= 0x80)
      safe += fmt::format("\\[u{:04X}]", static_cast<unsigned>(decoded(text, at)));
    else if (text[at] == '\\') safe += "\\e";
    else if (text[at] == '-') safe += "\\-";
    else if (text[at] == '\'') safe += "\\(aq";
    else safe += text[at];
  }
  return safe.starts_with('.') ? "\\&" + safe : safe;
}

std::string bold(const std::string& text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + plain(text) + "\\fR"; }

std::string paragraph_of(const option_words& o) {
  std::vector<std::string> names;
  for (const std::string& name : o.names)
    names.push_back(o.positional ? italic(name) : o.value.empty() ? bold(name) : bold(name) + " " + italic(o.value));
  std::string about = o.description;
  if (!o.choices.empty() && about.find(o.choices.front()) == std::string::npos)
    about += fmt::format(" ({})", fmt::join(o.choices, ", "));
  return fmt::format(".TP\n{}\n{}\n", fmt::join(names, ", "), plain(about));
}

std::string head_of(const std::string& name, const std::string& about, const std::string& version) {
  std::string title = name;
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(".TH {} 1 \"\" \"mana {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", plain(title), plain(version),
                     plain(name), plain(about));
}

std::string options_section(const CLI::App& app) {
  std::string arguments, options, group = default_heading;
  for (const option_words& o : options_of(app)) {
    if (!o.positional && std::exchange(group, o.group) != o.group) options += ".SS " + plain(o.group) + "\n";
    (o.positional ? arguments : options) += paragraph_of(o);
  }
  return (arguments.empty() ? "" : ".SH ARGUMENTS\n" + arguments) + ".SH OPTIONS\n" + options;
}

std::string lines_of(const char* section, const std::vector<std::string>& lines) {
  std::string text = lines.empty() ? std::string() : fmt::format(".SH {}\n.nf\n", section);
  for (const std::string& line : lines) text += plain(line) + "\n";
  return lines.empty() ? text : text + ".fi\n";
}

std::string page_of(const CLI::App& command, const std::string& version) {
  return head_of("mana-" + command.get_name(), command.get_description(), version) +
         lines_of("SYNOPSIS", usage_of(command)) + options_section(command) + lines_of("EXAMPLE", example_of(command)) +
         ".SH SEE ALSO\n.BR mana (1)\n";
}

/// Words between backticks become bold.
std::string marked(const char* text) {
  std::string all;
  bool is_code = false;
  for (const std::string& part : CLI::detail::split(text, '`')) {
    all += is_code ? bold(part) : plain(part);
    is_code = !is_code;
  }
  return all;
}

std::string statuses_section() {
  std::string text = ".SH EXIT STATUS\nA program that mana runs ends with its own status. These are mana's:\n";
  for (const exit_status_row& row : exit_statuses)
    text += fmt::format(".TP\n.B {}\n{}{}{}\n", static_cast<int>(row.status), marked(row.meaning), *row.remedy != '\0' ? ": " : "",
                        marked(row.remedy));
  return text;
}

std::string main_page(const CLI::App& app, const std::string& version) {
  std::string text = head_of("mana", app.get_description(), version) + lines_of("SYNOPSIS", usage_of(app)) +
                     ".SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app))
    text += fmt::format(".TP\n.BR mana\\-{} (1)\n{}\n", plain(command->get_name()), plain(command->get_description()));
  return text + options_section(app) + lines_of("EXAMPLE", example_of(app)) + statuses_section();
}

}  // namespace

std::vector<manual_page> manual_pages(const CLI::App& app, const std::string& version) {
  std::vector<manual_page> pages{{"mana.1", main_page(app, version)}};
  for (const CLI::App* command : commands_of(app))
    pages.push_back({"mana-" + command->get_name() + ".1", page_of(*command, version)});
  return pages;
}

}  // namespace mana::tools
