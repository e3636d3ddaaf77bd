// How a descriptor comes into the table of a new thread that has one of its own (INV-87): by a number below all others of the lower
// half's, since only what is below is copied.
#pragma once

namespace mana::control {

/// Takes the lowest number that is the lower half's, for as long as the process runs. Before anything else of it is opened.
/// in: number  from which on they are
void reserve_passage(int number) noexcept;

/// One at a time, while the new thread begins. Where no number is reserved, the descriptor keeps its own.
class passage {
 public:
  /// Takes the descriptor over.
  explicit passage(int fd) noexcept;
  ~passage();
  passage(const passage&) = delete;
  passage& operator=(const passage&) = delete;
  int number() const noexcept { return number_; }

 private:
  int number_;
};

}  // namespace mana::control
