// The threads of C++: promises, condition variables, async, jthread and barrier, and thread-local objects with destructors.
// flags: -std=c++20
#include "fidelity.h"

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <future>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>

static std::atomic<int> built, destroyed;
struct counted {
  std::string text = "thread-local text that is too long for the object itself";
  counted() { ++built; }
  ~counted() { ++destroyed; }
};
static thread_local counted local;

int main(int argc, char** argv) {
  begin(&argc, &argv);
  std::promise<std::string> promise;
  auto asked = std::async(std::launch::async, [future = promise.get_future()]() mutable {
    local.text += '!';
    const std::string got = future.get();
    return got + local.text.back();
  });
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  std::thread waiter([&] {
    std::unique_lock lock(mutex);
    condition.wait(lock, [&] { return ready; });
  });
  std::atomic<int> turns = 0, word = 0;
  std::barrier barrier(3, [&]() noexcept { ++turns; });
  std::jthread first([&] { for (int i = 0; i < 3; ++i) barrier.arrive_and_wait(); });
  std::jthread second([&] { for (int i = 0; i < 3; ++i) barrier.arrive_and_wait(); });
  std::jthread until([&](std::stop_token token) { while (!token.stop_requested()) std::this_thread::yield(); ++word; });
  std::thread on_word([&] { word.wait(0); local.text.clear(); });
  auto failing = std::async(std::launch::deferred, [] { throw std::runtime_error("deferred"); });
  barrier.arrive_and_wait();
  line();
  CHECK(asked.wait_for(std::chrono::milliseconds(5)) == std::future_status::timeout);
  promise.set_value("value");
  CHECK(asked.get() == "value!");
  barrier.arrive_and_wait();
  line();
  { std::lock_guard lock(mutex); ready = true; }
  condition.notify_all(), waiter.join();
  barrier.arrive_and_wait(), first.join(), second.join();
  CHECK(turns == 3, "%d", turns.load());
  until.request_stop(), until.join();
  word.notify_all(), on_word.join();
  try { failing.get(); CHECK(!"thrown"); } catch (const std::runtime_error& error) { CHECK(!strcmp(error.what(), "deferred")); }
  CHECK(built == 2 && destroyed == 2, "%d %d", built.load(), destroyed.load());
  return finish();
}
