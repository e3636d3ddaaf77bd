// Mails between ranks during a drain, on a communicator of their own, and barriers that end a step of the drain on all
// ranks. A drain may be given up at any moment, at a different one on each rank. So a mail names its drain. Before a
// rank begins the next drain, it enters the barriers of the drain that it left.
#pragma once
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <vector>

namespace mana::real_mpi {

class drain_mail {
 public:
  static constexpr int barriers_of_a_drain = 2;

  /// number: of this drain, from 1, the same on all ranks. Mails of earlier drains are dropped from now on.
  /// out: MPI error code
  int begin(std::uint64_t number);
  /// Sends a copy of bytes. out: MPI error code
  int post(int rank, const void* bytes, std::size_t n);
  /// Receives mails, and checks which of the own mails were taken. out: MPI error code
  int look();
  std::size_t unsent() const noexcept { return sent_.size(); }
  /// Mails of this drain, in the order of their arrival; valid until the next drain begins.
  struct mail {
    int from;
    std::vector<std::byte> bytes;
  };
  const std::deque<mail>& taken() const noexcept { return taken_; }
  /// Begins the drain's next barrier (first call), or tests it. *entered: all ranks are in it. out: MPI error code
  int pass_barrier(bool* entered);
  /// Call on all ranks before the communicator is freed. Ends what drains that were given up have left. number: of
  /// drains
  void end(std::uint64_t number);

 private:
  struct outgoing {
    std::vector<std::byte> bytes;
    MPI_Request request;
  };
  int catch_up(std::uint64_t number);
  int begin_barrier();
  int test_barriers(std::size_t* open);

  std::uint64_t number_ = 0;
  std::uint64_t begun_ = 0;              // barriers, of all drains
  std::vector<MPI_Request> barriers_;    // unfinished, in the order in which they began
  bool in_barrier_ = false;
  std::list<outgoing> sent_;
  std::deque<mail> taken_;
};

drain_mail& mails() noexcept;

}  // namespace mana::real_mpi
