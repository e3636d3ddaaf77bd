#include <runtime/tools/options/configuration.hpp>

#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

namespace mana::tools {
namespace {

struct wrong_line : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool is_key_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/// Takes tokens from the beginning of one line.
class line_reader {
 public:
  explicit line_reader(std::string_view line) : left_(line) {}

  void skip_blanks() {
    while (!left_.empty() && (left_.front() == ' ' || left_.front() == '\t')) left_.remove_prefix(1);
  }
  bool take(char c) {
    if (left_.empty() || left_.front() != c) return false;
    left_.remove_prefix(1);
    return true;
  }
  std::string key() {
    std::string name;
    while (!left_.empty() && is_key_character(left_.front())) name += next();
    return name;
  }
  /// Allows blanks and a comment at the end of the line.
  void end() {
    skip_blanks();
    if (!left_.empty() && left_.front() != '#') throw wrong_line("the line has more than one option and its value");
  }
  bool is_empty() {
    skip_blanks();
    return left_.empty() || left_.front() == '#';
  }

  std::string value() {
    skip_blanks();
    if (take('"')) return quoted();
    if (take('\'')) return literal();
    std::string word;
    const auto goes_on = [](char c) { return is_key_character(c) || c == '.' || c == '+'; };
    while (!left_.empty() && goes_on(left_.front())) word += next();
    if (!is_bare_value(word)) throw wrong_line("its value is not valid: put text into quotes, as \"zstd:3\"");
    std::erase(word, '_');                       // allowed between digits
    return word;
  }
  std::vector<std::string> list() {
    std::vector<std::string> all;
    for (skip_blanks(); !take(']'); skip_blanks()) {
      all.push_back(value());
      skip_blanks();
      if (!take(',') && (left_.empty() || left_.front() != ']')) throw wrong_line("its list must end on the same line");
    }
    return all;
  }

 private:
  char next() {
    const char c = left_.front();
    left_.remove_prefix(1);
    return c;
  }
  static bool is_bare_value(const std::string& word) {
    if (word == "true" || word == "false") return true;
    const std::size_t first = word.find_first_not_of("+-");
    return first <= 1 && word.find_first_not_of("0123456789.eE+-_", first) == std::string::npos && word[first] >= '0' &&
           word[first] <= '9';
  }
  std::string quoted() {
    std::string text;
    while (!take('"')) {
      if (left_.empty()) throw wrong_line("the quotes of its value are not closed");
      const char c = next();
      text += c == '\\' ? escaped() : c;
    }
    return text;
  }
  char escaped() {
    const char c = left_.empty() ? '\0' : next();
    if (c == '"' || c == '\\') return c;
    if (c == 't') return '\t';
    if (c == 'n') return '\n';
    throw wrong_line("its value has an unknown escape after a backslash");
  }
  std::string literal() {
    const std::size_t end = left_.find('\'');
    if (end == std::string_view::npos) throw wrong_line("the quotes of its value are not closed");
    std::string text(left_.substr(0, end));
    left_.remove_prefix(end + 1);
    return text;
  }

  std::string_view left_;
};

class parser {
 public:
  explicit parser(std::string_view text) : text_(text) {}

  configuration run() {
    try {
      if (text_.size() > most_configuration_bytes) throw wrong_line("the file has more than 64 KiB");
      while (!text_.empty()) {
        ++line_;
        key_.clear();
        take_line(next_line());
      }
    } catch (const wrong_line& wrong) {
      return {{}, {line_ == 0 ? 1 : line_, key_, wrong.what()}};
    }
    return {std::move(options_), {}};
  }

 private:
  std::string_view next_line() {
    const std::size_t end = text_.find('\n');
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void take_line(std::string_view line) {
    for (const char c : line)
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f)
        throw wrong_line("a character is not allowed in a text file");
    line_reader in(line);
    if (in.is_empty()) return;
    if (in.take('[')) take_section(in);
    else take_option(in);
  }

  void take_section(line_reader& in) {
    in.skip_blanks();
    key_ = in.key();
    in.skip_blanks();
    if (!in.take(']') || key_.empty()) throw wrong_line("this is not a section name like [run]");
    in.end();
    section_ = key_;
  }

  void take_option(line_reader& in) {
    key_ = in.key();
    in.skip_blanks();
    if (key_.empty() || !in.take('=')) throw wrong_line("this is not an option with its value, like interval = 600");
    if (!section_) throw wrong_line("it comes before the first section, such as [run]");
    const auto [earlier, is_new] = lines_.emplace(std::pair(*section_, key_), line_);
    if (!is_new) throw wrong_line("it is set twice, first on line " + std::to_string(earlier->second));
    configured_option option{line_, *section_, key_, {}, false};
    in.skip_blanks();
    option.is_list = in.take('[');
    if (option.is_list) option.values = in.list();
    else option.values.push_back(in.value());
    in.end();
    options_.push_back(std::move(option));
  }

  std::string_view text_;
  int line_ = 0;
  std::string key_;
  std::optional<std::string> section_;
  std::vector<configured_option> options_;
  std::map<std::pair<std::string, std::string>, int> lines_;    // lines of each section's keys
};

}  // namespace

configuration parse_configuration(std::string_view text) { return parser(text).run(); }

}  // namespace mana::tools
