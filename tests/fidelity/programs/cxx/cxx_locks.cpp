// std::shared_mutex, recursive_timed_mutex, call_once that failed once, scoped locks and condition_variable_any at the
// lines.
#include "fidelity.h"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  std::shared_mutex shared;
  std::timed_mutex timed;
  std::once_flag once;
  std::condition_variable_any any;
  std::atomic<int> tries = 0, readers = 0, wrote = 0, woken = 0, end = 0;
  try {
    std::call_once(once, [&] { ++tries; throw std::runtime_error("first"); });
  } catch (const std::runtime_error&) {
  }
  std::thread reader([&] { std::shared_lock lock(shared); ++readers; while (!end) usleep(1000); });
  while (readers == 0) std::this_thread::yield();
  std::thread writer([&] { std::unique_lock lock(shared); ++wrote; });
  bool ready = false;
  std::mutex mutex;
  std::thread waiter([&] { std::unique_lock lock(mutex); any.wait(lock, [&] { return ready; }); ++woken; });
  timed.lock();
  std::thread late([&] { CHECK(!timed.try_lock_for(std::chrono::milliseconds(50))); });
  line();
  late.join();
  CHECK(wrote == 0 && woken == 0 && !shared.try_lock());
  std::call_once(once, [&] { ++tries; });
  line();
  std::call_once(once, [&] { ++tries; });
  CHECK(tries == 2, "%d", tries.load());
  timed.unlock();
  CHECK(timed.try_lock_for(std::chrono::seconds(1)));
  timed.unlock();
  CHECK(wrote == 0 && woken == 0);
  end = 1, reader.join(), writer.join();
  { std::scoped_lock lock(mutex, timed); ready = true; }
  any.notify_one(), waiter.join();
  CHECK(wrote == 1 && woken == 1);
  return finish();
}
