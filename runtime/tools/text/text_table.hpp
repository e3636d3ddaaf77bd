// Tables for people: columns as wide as their widest cell, two spaces apart, numbers right-aligned.
#pragma once
#include <runtime/words/amounts.hpp>

#include <string>
#include <vector>

namespace mana::tools {

class text_table {
 public:
  /// A heading that begins with '>' aligns its column to the right (the '>' is not printed).
  explicit text_table(std::vector<std::string> headings);
  /// Adds a row with one cell per heading. Control characters are made visible.
  void add(std::vector<std::string> cells);
  /// The whole table, each line ended by a newline, without trailing blanks.
  std::string text() const;

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

using words::human_bytes;
using words::human_seconds;

/// "2026-01-31 13:59:07": local time of seconds since 1970.
std::string human_time(long long unix_seconds);

}  // namespace mana::tools
