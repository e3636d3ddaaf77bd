#include <runtime/job/task_thread.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <vector>

namespace job_task_thread_tests {

using mana::job::task_thread;

TEST_CASE("tasks are done one after another, in their order, and drain waits for the last") {
  auto& thread = *new task_thread(0);
  std::vector<int> done;
  for (int task = 0; task < 1000; ++task) thread.post([&done, task] { done.push_back(task); });
  thread.drain();
  REQUIRE(done.size() == 1000);
  for (int task = 0; task < 1000; ++task) CHECK(done[static_cast<std::size_t>(task)] == task);
}

TEST_CASE("who posts does not wait, also not for a task that waits for it") {
  auto& thread = *new task_thread(0);
  std::promise<void> go;
  std::atomic<int> done{0};
  thread.post([&] { go.get_future().wait(); ++done; });
  thread.post([&] { ++done; });
  CHECK(done == 0);
  go.set_value();
  thread.drain();
  CHECK(done == 2);
  thread.drain();
}

}  // namespace job_task_thread_tests
