// A thread that does steps for another one while it waits.
#include <runtime/job/lent_thread.hpp>

#include <doctest/doctest.h>
#include <pthread.h>

#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace job_lent_thread_tests {

using mana::job::lent_thread;

TEST_CASE("steps run on the thread that waits, one after another, the work on another one") {
  const auto own = std::this_thread::get_id();
  lent_thread lender;
  std::vector<int> done;
  std::thread::id of_work;
  lender.lend([&] {
    of_work = std::this_thread::get_id();
    for (int step = 0; step < 1000; ++step)
      lender.run([&done, step, own] {
        CHECK(std::this_thread::get_id() == own);
        done.push_back(step);
      });
  });
  CHECK(of_work != own);
  REQUIRE(done.size() == 1000);
  for (int step = 0; step < 1000; ++step) CHECK(done[static_cast<std::size_t>(step)] == step);
}

TEST_CASE("what a step throws comes out where it was asked for, and the next one runs") {
  lent_thread lender;
  std::string caught;
  int after = 0;
  lender.lend([&] {
    try {
      lender.run([] { throw std::runtime_error("no"); });
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    lender.run([&] { ++after; });
  });
  CHECK(caught == "no");
  CHECK(after == 1);
}

TEST_CASE("where no thread can be created nothing of the work is done, and steps run where they are asked for") {
  pthread_attr_t usual, huge;
  pthread_getattr_default_np(&usual);
  pthread_attr_init(&huge);
  REQUIRE(pthread_attr_setstacksize(&huge, std::size_t{1} << 46) == 0);
  REQUIRE(pthread_setattr_default_np(&huge) == 0);
  lent_thread lender;
  int works = 0;
  const auto work = [&] { lender.run([&] { ++works; }); };
  CHECK_THROWS_AS(lender.lend(work), std::system_error);
  CHECK(works == 0);
  work();
  CHECK(works == 1);
  pthread_setattr_default_np(&usual);
  lender.lend(work);
  CHECK(works == 2);
}

TEST_CASE("a thread lends itself again, also to work without steps") {
  lent_thread lender;
  int works = 0;
  for (int i = 0; i < 100; ++i) lender.lend([&] { ++works; });
  CHECK(works == 100);
}

}  // namespace job_lent_thread_tests
