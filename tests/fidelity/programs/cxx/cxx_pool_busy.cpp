// A pool of threads that is busy at the lines, with jobs in its queue; none is lost, and none is done twice.
// ranks: 2
#include "pair.h"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable some;
static std::deque<int> jobs;
static bool end;
static std::atomic<int> times[400];
static std::atomic<int> done;

static void work() {
  for (;;) {
    std::unique_lock lock(mutex);
    some.wait(lock, [] { return end || !jobs.empty(); });
    if (jobs.empty()) return;
    const int job = jobs.front();
    jobs.pop_front();
    lock.unlock();
    volatile double sum = 0;
    for (int i = 1; i < 100000; ++i) sum = sum + 1.0 / (i + job);
    ++times[job], ++done;
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  std::vector<std::thread> threads;
  for (int i = 0; i < 2 + me; ++i) threads.emplace_back(work);
  {
    std::lock_guard lock(mutex);
    for (int i = 0; i < 400; ++i) jobs.push_back(i);
  }
  some.notify_all();
  while (done < 10) std::this_thread::yield();
  line();
  const int before = exchange(done);
  CHECK(before >= 10, "%d", before);
  while (done < 100) usleep(500);
  line();
  { std::lock_guard lock(mutex); end = true; }
  some.notify_all();
  for (auto& thread : threads) thread.join();
  CHECK(done == 400, "%d", done.load());
  for (int i = 0; i < 400; ++i) CHECK(times[i] == 1, "job %d: %d", i, times[i].load());
  return finish();
}
