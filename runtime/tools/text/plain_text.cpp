#include <runtime/tools/text/plain_text.hpp>

#include <algorithm>
#include <utility>

namespace mana::tools {
namespace {

/// out: columns on a terminal, if every character is one column wide
std::size_t columns(std::string_view text) {
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<std::string> lines_in(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// in: at  a '['.  out: where the link's or image's syntax ends; `at` if there is none there
std::size_t end_of_link(std::string_view text, std::size_t at) {
  const std::size_t middle = text.find("](", at);
  if (middle == std::string_view::npos || text.find('[', at + 1) < middle) return at;
  const std::size_t end = text.find(')', middle);
  return end == std::string_view::npos ? at : end + 1;
}

/// Removes the syntax of links, images, emphasis and inline code from a joined paragraph.
std::string inline_text(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '`') {
      const std::size_t end = text.find('`', at + 1);
      if (end == std::string_view::npos) return plain += text.substr(at);
      plain += text.substr(at + 1, end - at - 1);
      at = end;
    } else if (text.substr(at).starts_with("**")) {
      ++at;
    } else if (text[at] == '!' && text.substr(at + 1).starts_with('[')) {
      continue;
    } else if (const std::size_t end = text[at] == '[' ? end_of_link(text, at) : at; end != at) {
      plain += inline_text(text.substr(at + 1, text.find("](", at) - at - 1));
      at = end - 1;
    } else if (text[at] == '\\' && text.find_first_of("\\`*_[]|#-", at + 1) == at + 1) {
      plain += text[++at];
    } else {
      plain += text[at];
    }
  }
  return plain;
}

std::string without_comments(std::string_view text) {
  std::string rest;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find("<!--", at), text.size());
    rest += text.substr(at, begin - at);
    if (begin == text.size()) break;
    const std::size_t end = text.find("-->", begin);
    at = end == std::string_view::npos ? text.size() : end + 3;
  }
  return rest;
}

using row = std::vector<std::string>;

/// A bar in code or behind a backslash ends no cell.
row cells_of(std::string_view line) {
  row cells;
  std::string cell;
  bool is_code = false;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (line[at] == '`') is_code = !is_code;
    if (line[at] == '\\' && line.substr(at + 1).starts_with('|')) {
      cell += line[++at];
    } else if (line[at] == '|' && !is_code) {
      cells.push_back(inline_text(without_blanks(cell)));
      cell.clear();
    } else {
      cell += line[at];
    }
  }
  return cells;
}

class renderer {
 public:
  explicit renderer(std::size_t width) : width_(width) {}

  std::string run(std::string_view markdown) {
    for (const std::string& line : lines_in(without_comments(markdown))) add(line);
    end_block();
    while (text_.ends_with("\n\n")) text_.pop_back();
    return text_;
  }

 private:
  void add(const std::string& line) {
    const std::string_view bare = without_blanks(line);
    if (bare.starts_with("```")) {
      end_block();
      if (is_fenced_) text_ += '\n';
      is_fenced_ = !is_fenced_;
    } else if (is_fenced_) {
      text_ += "    " + line + "\n";
    } else if (bare.empty()) {
      const bool was_code = is_code_;
      end_block();
      if (was_code || !is_item_) gap();
      else pending_gap_ = true;
    } else if (line.starts_with('#')) {
      heading(line);
    } else if (line.starts_with('|')) {
      table_.push_back(line);
    } else if (paragraph_.empty() && line.starts_with(std::string(4 + (is_item_ ? hang_ : 0), ' '))) {
      gap_if_pending();
      is_code_ = true;
      text_ += line + "\n";
    } else {
      prose(line);
    }
  }

  void prose(const std::string& line) {
    const std::string_view bare = without_blanks(line);
    const std::size_t mark = mark_of(bare);
    const std::size_t indent = line.find_first_not_of(' ');
    if (mark != 0) {
      end_block();
      first_ = std::string(indent, ' ') + std::string(bare.substr(0, mark));
      hang_ = columns(first_);
      is_item_ = true;
      pending_gap_ = false;
      paragraph_ = bare.substr(mark);
      return;
    }
    if (paragraph_.empty()) {
      gap_if_pending();
      is_item_ = is_item_ && indent > 0;
      hang_ = is_item_ ? hang_ : 0;
      first_ = std::string(hang_, ' ');
    }
    paragraph_ += (paragraph_.empty() ? "" : " ") + std::string(bare);
  }

  /// out: bytes of "- " or "1. " with the blanks behind it; 0: no list item
  static std::size_t mark_of(std::string_view bare) {
    const std::size_t digits = std::min(bare.find_first_not_of("0123456789"), bare.size());
    const std::size_t sign = digits > 0 && bare.substr(digits).starts_with(". ") ? digits + 1
                             : bare.starts_with("- ") || bare.starts_with("* ") ? 1
                                                                                : 0;
    return sign == 0 ? 0 : std::min(bare.find_first_not_of(' ', sign), bare.size());
  }

  void heading(const std::string& line) {
    end_block();
    is_item_ = false;
    const std::size_t level = line.find_first_not_of('#');
    const std::string words = inline_text(without_blanks(std::string_view(line).substr(std::min(level, line.size()))));
    gap();
    text_ += words + "\n";
    if (level <= 2) text_ += std::string(columns(words), level == 1 ? '=' : '-') + "\n";
    text_ += '\n';
  }

  void gap() {
    pending_gap_ = false;
    if (!text_.empty() && !text_.ends_with("\n\n")) text_ += '\n';
  }
  void gap_if_pending() {
    if (pending_gap_) gap();
  }

  void end_block() {
    is_code_ = false;
    if (!paragraph_.empty()) {
      std::string before = std::exchange(first_, std::string(hang_, ' '));
      const std::string words = inline_text(std::exchange(paragraph_, {}));
      for (const std::string& line : wrapped(words, width_ - std::min(hang_, width_ / 2))) {
        text_ += before + line + "\n";
        before = std::string(hang_, ' ');
      }
    }
    if (!table_.empty()) table(std::exchange(table_, {}));
  }

  void table(const std::vector<std::string>& lines) {
    std::vector<row> rows;
    for (const std::string& line : lines)
      if (line.find_first_not_of("|-: ") != std::string::npos) rows.push_back(cells_of(line));
    if (rows.empty()) return;
    std::vector<std::size_t> widths(rows[0].size());
    for (row& r : rows) {
      r.resize(widths.size());
      for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], columns(r[i]));
    }
    std::size_t all = 0;
    for (const std::size_t w : widths) all += w + 2;
    if (all <= width_ + 2) as_columns(rows, widths);
    else if (widths.size() >= 2 && all - widths.back() + 24 <= width_) as_columns(rows, widths);
    else as_list(rows);
  }

  /// The last column is wrapped within its place.
  void as_columns(const std::vector<row>& rows, const std::vector<std::size_t>& widths) {
    for (const row& r : rows) {
      std::string line;
      for (std::size_t i = 0; i + 1 < r.size(); ++i) line += r[i] + std::string(widths[i] + 2 - columns(r[i]), ' ');
      const std::size_t place = columns(line);
      for (const std::string& part : wrapped(r.back(), width_ - std::min(place, width_ - 1))) {
        text_ += line + part;
        text_.erase(text_.find_last_not_of(' ') + 1);
        text_ += '\n';
        line = std::string(place, ' ');
      }
    }
  }

  void as_list(const std::vector<row>& rows) {
    for (std::size_t n = 1; n < rows.size(); ++n) {
      for (const std::string& line : wrapped(rows[n][0], width_)) text_ += line + "\n";
      for (std::size_t i = 1; i < rows[n].size(); ++i) {
        if (rows[n][i].empty()) continue;
        const bool has_head = !rows[0][i].empty() && rows[n].size() > 2;
        const std::string cell = (has_head ? rows[0][i] + ": " : "") + rows[n][i];
        for (const std::string& line : wrapped(cell, width_ - 4)) text_ += "    " + line + "\n";
      }
    }
  }

  const std::size_t width_;
  std::string text_, paragraph_, first_;
  std::vector<std::string> table_;
  std::size_t hang_ = 0;                 // columns of a list item's mark and indentation
  bool is_fenced_ = false, is_code_ = false, is_item_ = false, pending_gap_ = false;
};

}  // namespace

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; (begin = text.find_first_not_of(' ', begin)) != std::string::npos;) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!lines.back().empty() && columns(lines.back()) + 1 + columns(word) > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    begin = end;
  }
  return lines;
}

std::string plain_text(std::string_view markdown, std::size_t width) { return renderer(width).run(markdown); }

std::string title_of(std::string_view markdown) {
  for (const std::string& line : lines_in(markdown))
    if (line.starts_with("# ")) return inline_text(without_blanks(std::string_view(line).substr(2)));
  return {};
}

}  // namespace mana::tools
