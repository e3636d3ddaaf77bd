// Numbers for temporary descriptors: above the program's, and none that the program had.
#pragma once
#include <nlohmann/json.hpp>

#include <set>

namespace mana::descriptors {

class spare_numbers {
 public:
  /// rows: the program's descriptors. Raises the limit of open files to the highest of them, if the limit is too low
  /// here.
  explicit spare_numbers(const nlohmann::json& rows);

  /// A further descriptor of the same open file; `fd` stays open.
  /// errors: descriptor_error if the limit of open files is reached
  int duplicate(int fd) const;
  /// The same, and closes `fd`.
  /// errors: descriptor_error, also if fd is -1
  int move(int fd) const;

 private:
  std::set<int> wanted_;
};

}  // namespace mana::descriptors
