// Pseudo terminals that the program made: controller and terminal. After a restart they have new numbers, and so new
// names.
#pragma once
#include <runtime/descriptors/base/report.hpp>
#include <runtime/descriptors/base/spare_numbers.hpp>
#include <runtime/descriptors/base/table.hpp>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mana::descriptors {

class terminal_describer {
 public:
  explicit terminal_describer(const std::vector<owned_descriptor>& all);
  /// False: neither a controller of the program nor its terminal.
  bool describe(int fd, const struct stat& s, nlohmann::json& row, report& said);

 private:
  struct pair { int controller = -1, terminal = -1; };
  std::map<int, pair> pairs_;     // by the number in /dev/pts
  std::set<int> described_;
};

class terminal_maker {
 public:
  explicit terminal_maker(const spare_numbers& spare) : spare_(spare) {}
  ~terminal_maker();
  terminal_maker(const terminal_maker&) = delete;
  terminal_maker& operator=(const terminal_maker&) = delete;

  /// errors: descriptor_error
  int open(const nlohmann::json& row);
  /// Terminals that have another number now, as text.
  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  int controller_of(const nlohmann::json& row);

  const spare_numbers& spare_;
  std::map<int, int> controllers_;    // by the old number
  std::vector<std::string> notes_;
  std::vector<int> spare_terminals_;  // closed at the end: if nobody has a terminal open, its contents are lost
  std::vector<int> locked_;           // controllers of terminals that must not be opened by name
};

}  // namespace mana::descriptors
