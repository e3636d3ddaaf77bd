// Progress of the ranks in a step of a restart, printed by rank 0 while the step lasts.
#pragma once
#include <runtime/words/work_line.hpp>

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace mana::job {

/// Used on the thread that may call MPI, before the program runs. Nothing is printed and no message is sent, unless
/// rank 0 has --progress or a terminal.
///
/// A rank that is done, or has failed, reports that once. Rank 0 waits for the last reports of all ranks, so no rank
/// waits forever.
class restart_progress {
 public:
  /// Collective.
  /// in: doing  what the ranks do, for people
  ///     bytes  that this rank will process; 0: none
  restart_progress(const char* doing, std::uint64_t bytes);
  /// Collective.
  ~restart_progress();
  restart_progress(const restart_progress&) = delete;
  restart_progress& operator=(const restart_progress&) = delete;

  void add(std::uint64_t bytes);

 private:
  using clock = std::chrono::steady_clock;
  struct report {
    std::uint64_t done = 0, is_last = 0;
  };

  void tell();
  bool hear();
  void say_line();
  bool is_time() noexcept;

  const char* const doing_;
  MPI_Comm world_;
  int rank_ = 0, size_ = 1;
  bool wanted_ = false, terminal_ = false, said_ = false;
  report own_, sent_;
  MPI_Request sending_ = MPI_REQUEST_NULL;
  int under_way_ = 0;                        // rank 0: other ranks that are not done
  std::vector<words::work_part> parts_;      // rank 0: by rank
  const clock::time_point begin_ = clock::now();
  clock::time_point next_;
};

}  // namespace mana::job
