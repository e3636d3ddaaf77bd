// Some files lose their name as soon as they are made. Ranks of a node make such files one after the other in each
// directory: otherwise a rank would find another rank's file at the name.
#pragma once
#include <string>

namespace mana::descriptors {

/// The turn lasts as long as the object; the kernel ends it with its process. It leaves nothing in any directory. If
/// the turn cannot be had (no such directory, another user's socket), the object holds nothing, and the second rank
/// finds the name taken.
class naming_turn {
 public:
  explicit naming_turn(const std::string& directory) noexcept;
  ~naming_turn();
  naming_turn(const naming_turn&) = delete;
  naming_turn& operator=(const naming_turn&) = delete;

 private:
  int held_ = -1;
};

}  // namespace mana::descriptors
