// A pool of threads that is idle at the lines: jobs that send and receive are given to it before and after.
// ranks: 2
#include "pair.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

class pool {
 public:
  explicit pool(int count) { for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); }); }
  ~pool() {
    { std::lock_guard lock(mutex_); end_ = true; }
    some_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  std::future<int> give(std::function<int()> job) {
    std::packaged_task<int()> task(std::move(job));
    auto result = task.get_future();
    { std::lock_guard lock(mutex_); jobs_.push_back(std::move(task)); }
    some_.notify_one();
    return result;
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      some_.wait(lock, [this] { return end_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
    }
  }
  std::mutex mutex_;
  std::condition_variable some_;
  std::deque<std::packaged_task<int()>> jobs_;
  bool end_ = false;
  std::vector<std::thread> threads_;
};

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pool of_three(3);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::future<int>> results;
    for (int i = 0; i < 8; ++i) results.push_back(of_three.give([i, round] {
      int out = 100 * round + i, got = -1;
      MPI_Request request;
      // jobs of one rank wait for none behind them
      MPI_Isend(&out, 1, MPI_INT, other(), i, MPI_COMM_WORLD, &request);
      MPI_Recv(&got, 1, MPI_INT, other(), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      return got;
    }));
    for (int i = 0; i < 8; ++i) CHECK(results[i].get() == 100 * round + i);
    if (round < 2) line();
  }
  return finish();
}
