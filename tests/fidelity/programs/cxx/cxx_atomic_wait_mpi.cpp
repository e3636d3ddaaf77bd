// std::atomic waits of threads at the lines, ended by what the other rank sends; flags, shared pointers, and a stop
// token.
// ranks: 2
// flags: -std=c++20
#include "pair.h"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  std::atomic<int> word = 0, through = 0;
  std::atomic_flag flag;
  std::shared_ptr<int> shared = std::make_shared<int>(5);
  std::jthread on_int([&] { word.wait(0), ++through; word.wait(1), ++through; });
  std::jthread on_flag([&] { flag.wait(false), ++through; });
  std::mutex mutex;
  std::condition_variable_any condition;
  std::jthread until([&, shared](std::stop_token token) {
    std::unique_lock lock(mutex);
    CHECK(!condition.wait(lock, token, [] { return false; }));
    ++*shared;
  });
  usleep(10000);
  line();
  CHECK(through == 0, "%d", through.load());
  word = exchange(1), word.notify_all();
  while (through < 1) std::this_thread::yield();
  line();
  CHECK(through == 1 && shared.use_count() >= 2, "%d", through.load());
  word = exchange(2), word.notify_one();
  flag.test_and_set(), flag.notify_all();
  on_int.join(), on_flag.join();
  CHECK(through == 3, "%d", through.load());
  until.request_stop(), until.join();
  CHECK(*shared == 6, "%d", *shared);
  return finish();
}
