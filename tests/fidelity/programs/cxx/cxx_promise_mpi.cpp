// std::promise, future, packaged_task and async that carry what MPI received from one thread to another, over the
// lines.
// ranks: 2
#include "pair.h"

#include <unistd.h>

#include <future>
#include <thread>
#include <vector>

static int receive(int tag) {
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, other(), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (value < 0) throw std::runtime_error("a negative one");
  return value;
}
static void send(int value, int tag) { MPI_Send(&value, 1, MPI_INT, other(), tag, MPI_COMM_WORLD); }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  std::packaged_task<int(int)> first(receive), second(receive);
  auto of_first = first.get_future(), of_second = second.get_future();
  std::thread one(std::move(first), 1), two(std::move(second), 2);
  auto sums = std::async(std::launch::async, [] { return receive(3) + receive(4); });
  std::promise<std::vector<int>> promise;
  auto later = promise.get_future().share();
  std::thread waits([later] { CHECK(later.get().size() == 3 && later.get()[1] == 8); });
  usleep(10000);
  line();
  CHECK(of_first.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout);
  together();
  send(55, 1), send(10, 3);
  CHECK(of_first.get() == 55);
  one.join();
  line();
  CHECK(of_second.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout);
  CHECK(sums.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout);
  together();
  send(-1, 2), send(32, 4);
  try {
    of_second.get();
    CHECK(!"thrown");
  } catch (const std::runtime_error& error) {
    CHECK(!strcmp(error.what(), "a negative one"));
  }
  CHECK(sums.get() == 42);
  promise.set_value({7, 8, 9});
  two.join(), waits.join();
  return finish();
}
