// Pages in Markdown as plain text for a terminal.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mana::tools {

/// out: lines of at most `width` columns, broken at blanks; a longer word has a line of its own; at least one line
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

/// Paragraphs and lists are wrapped; code blocks stay as they are; a table too wide for `width` becomes a list. Links,
/// images, emphasis and comments lose their syntax.
/// in:  markdown  headings with #, lists, tables, fenced and indented code; no HTML except comments
/// out: lines, each with its newline
std::string plain_text(std::string_view markdown, std::size_t width);

/// out: the text of the first heading; empty if there is none
std::string title_of(std::string_view markdown);

}  // namespace mana::tools
