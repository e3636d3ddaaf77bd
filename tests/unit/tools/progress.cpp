#include <runtime/tools/job/checkpoint_progress.hpp>
#include <runtime/tools/text/progress.hpp>
#include <runtime/tools/text/progress_output.hpp>

#include <doctest/doctest.h>

#include <future>
#include <set>
#include <stdexcept>

namespace tools_progress_tests {

using namespace mana::tools;
using namespace std::chrono_literals;

TEST_CASE("a line says how much, how fast, how long, and who is behind") {
  const std::uint64_t mib = 1u << 20;
  const std::vector<work_part> parts{{"rank 0", 100 * mib, 100 * mib}, {"rank 1", 100 * mib, 60 * mib},
                                     {"rank 2", 100 * mib, 40 * mib}, {"rank 3", 100 * mib, 0}};
  CHECK(work_line(parts, 10) == "50 % of 400 MiB, 20.0 MiB/s, 10.0 s left; slowest: rank 2, 40 %");
  CHECK(work_line({{"rank 0", 8, 8}}, 2) == "100 % of 8 B, 4 B/s, 0 ms left");
  CHECK(work_line({{"rank 0", 8, 0}}, 0) == "0 % of 8 B, 0 B/s");
  CHECK(work_line({}, 1) == "100 % of 0 B, 0 B/s");
}

TEST_CASE("a meter says what was added, from any thread, and nothing while it is quiet") {
  std::promise<std::string> said;
  bool first = true;
  {
    progress_meter meter({{"rank 0", 100, 0}, {"rank 1", 100, 0}},
                         [&](const std::string& line) {
                           if (line.starts_with("25 %") && first) {
                             first = false;
                             said.set_value(line);
                           }
                         },
                         0ms, 1ms);
    std::thread([&] { meter.add(1, 50); }).join();
    CHECK(said.get_future().get().find("slowest: rank 1, 50 %") != std::string::npos);
  }
  bool disturbed = false;
  { progress_meter meter({{"rank 0", 1, 0}}, [&](const std::string&) { disturbed = true; }, 1h, 1h); }
  CHECK_FALSE(disturbed);
}

TEST_CASE("what is told before the parts are known, or to nobody, does no harm") {
  progress_output output("test", false);
  output.add(0, 1);
  const auto listener = output.listener();
  listener.begins({{"rank 0", 10}});
  listener.did(0, 10);
}

TEST_CASE("work is done once each, also where a part of it fails") {
  std::mutex lock;
  std::multiset<std::size_t> done;
  const auto note = [&](std::size_t i) {
    const std::lock_guard hold(lock);
    done.insert(i);
  };
  in_parallel(50, 4, note);
  CHECK(done.size() == 50);
  for (std::size_t i = 0; i < 50; ++i) CHECK(done.count(i) == 1);
  done.clear();
  CHECK_THROWS_AS(in_parallel(9, 3,
                              [&](std::size_t i) {
                                note(i);
                                if (i == 4) throw std::runtime_error("four");
                              }),
                  std::runtime_error);
  CHECK(done.size() == 9);
  in_parallel(0, 3, note);
  CHECK(idle_cores() >= 1);
}

TEST_CASE("a checkpoint's line says the phase and who is waited for, then how far the images are, and how fast since they began") {
  checkpoint_progress words;
  CHECK(words.line(R"({"phase":"quiescing","seconds":3.5,"waiting_for":"rank 2 has not said\nrank 3 too\n"})", 3.5) ==
        "quiescing for 3.50 s, waiting: rank 2 has not said");
  CHECK(words.line(R"({"phase":"writing","seconds":4,"waiting_for":"","bytes":0,"done":0})", 4) == "writing for 4.00 s");
  const auto written = [](int done, int slowest) {
    return R"({"phase":"writing","seconds":5,"waiting_for":"","bytes":1024,"done":)" + std::to_string(done) +
           R"(,"slowest_rank":3,"slowest_bytes":512,"slowest_done":)" + std::to_string(slowest) + "}";
  };
  CHECK(words.line(written(256, 128), 5) == "writing, 25 % of 1.00 KiB; slowest: rank 3, 25 %");
  CHECK(words.line(written(768, 256), 7) == "writing, 75 % of 1.00 KiB, 256 B/s, 1.00 s left; slowest: rank 3, 50 %");
  CHECK(words.line(written(1024, 512), 8) == "writing, 100 % of 1.00 KiB, 256 B/s, 0 ms left");
  // Its copy begins anew.
  CHECK(words.line(written(128, 64), 9) == "writing, 12 % of 1.00 KiB; slowest: rank 3, 12 %");
}

}  // namespace tools_progress_tests
