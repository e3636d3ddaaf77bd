// std::latch, barrier, counting_semaphore and jthread: threads compute a step, the main thread swaps the edges by MPI.
// ranks: 2
// flags: -std=c++20
#include "pair.h"

#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  constexpr int threads = 3, steps = 4;
  std::vector<long> cells(threads + 1, me + 1);
  std::latch started(threads), gone(1);
  std::barrier step(threads + 1);
  std::counting_semaphore<8> tickets(0);
  std::atomic<int> taken = 0;
  std::vector<std::jthread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back([&, i] {
    started.count_down();
    for (int s = 0; s < steps; ++s) {
      step.arrive_and_wait();
      cells[i] += cells[threads];
      step.arrive_and_wait();
    }
    tickets.acquire(), ++taken;
    gone.wait();
  });
  started.wait();
  long expected = me + 1;
  for (int s = 0; s < steps; ++s) {
    if (s == 1) line();
    const long edge = 10 * s + me;
    MPI_Sendrecv(&edge, 1, MPI_LONG, other(), s, &cells[threads], 1, MPI_LONG, other(), s, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expected += 10 * s + other();
    step.arrive_and_wait(), step.arrive_and_wait();
    for (int i = 0; i < threads; ++i) CHECK(cells[i] == expected, "%ld, not %ld", cells[i], expected);
  }
  tickets.release(2);
  while (taken < 2) std::this_thread::yield();
  line();
  CHECK(taken == 2 && !gone.try_wait());
  tickets.release();
  gone.count_down();
  all.clear();
  CHECK(taken == 3);
  return finish();
}
