#include <runtime/tools/text/text_table.hpp>

#include <runtime/tools/text/safe_name.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>

namespace mana::tools {
namespace {

/// out: columns of a UTF-8 text on a terminal, if every character is one column wide
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

}  // namespace

text_table::text_table(std::vector<std::string> headings) {
  for (auto& heading : headings) {
    right_.push_back(heading.starts_with('>'));
    if (right_.back()) heading.erase(0, 1);
  }
  rows_.push_back(std::move(headings));
}

void text_table::add(std::vector<std::string> cells) {
  cells.resize(right_.size());
  for (std::string& cell : cells) cell = shown(cell);
  rows_.push_back(std::move(cells));
}

std::string text_table::text() const {
  std::vector<std::size_t> widths(right_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string fill(widths[i] - width(row[i]), ' ');
      line += (i == 0 ? "" : "  ") + (right_[i] ? fill + row[i] : row[i] + fill);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string human_time(long long unix_seconds) {
  const auto time = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  localtime_r(&time, &parts);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", parts);
}

}  // namespace mana::tools
