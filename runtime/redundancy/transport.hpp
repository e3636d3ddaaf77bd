// The connection between the members of a group.
#pragma once
#include <cstddef>
#include <span>

namespace mana::redundancy {

/// The largest message.
inline constexpr std::size_t most_message_bytes = 1u << 20;

struct outgoing {
  unsigned member = 0;                  // number within the group, never the own one
  std::span<const std::byte> bytes;
};

struct incoming {
  unsigned member = 0;
  std::span<std::byte> bytes;           // exactly as many as the other member sends
};

/// All members go through the same sequence of exchanges. The message that a member sends in its n-th exchange is
/// received by the other's n-th exchange. So an implementation that starts all transfers of a call and then waits for
/// all of them (MPI_Irecv, MPI_Isend, MPI_Waitall) cannot deadlock. Both lists may be empty.
class transport {
 public:
  /// Messages between two members arrive in the order of the lists. Returns when all of them have arrived.
  /// errors: passes exceptions to the caller, on this member only: the others are not told
  virtual void exchange(std::span<const outgoing> out, std::span<const incoming> in) = 0;

 protected:
  ~transport() = default;
};

}  // namespace mana::redundancy
