// Ranks of a node that make files under names that are gone at once, one after the other in each directory: else one would find
// the other's there.
#pragma once
#include <string>

namespace mana::descriptors {

/// Held while it lives; the kernel ends it with its process. It leaves nothing behind, in no directory. Where it cannot be had
/// (no such directory, another user in the way) nothing is held, and who comes second finds the name taken.
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
