// Passes a descriptor into the own table of a new thread (INV-87). The descriptor has a number below all others of the
// lower half, because only the numbers below are copied.
#pragma once

namespace mana::control {

/// Takes the lowest number of the lower half's, for as long as the process runs. Call before the lower half opens
/// another.
/// in: number  the first of the lower half's numbers
void reserve_passage(int number) noexcept;

/// One at a time, while the new thread begins. If no number is reserved, the descriptor keeps its own.
class passage {
 public:
  /// Takes over the descriptor.
  explicit passage(int fd) noexcept;
  ~passage();
  passage(const passage&) = delete;
  passage& operator=(const passage&) = delete;
  int number() const noexcept { return number_; }

 private:
  int number_;
};

}  // namespace mana::control
