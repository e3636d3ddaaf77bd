// Times of the program's clocks: what comes from the kernel, and what goes to it.
#include <doctest/doctest.h>

#include <mana/lower/program_clocks.hpp>

#include <limits>

namespace lower_program_clocks_tests {

using namespace mana::lower;

namespace {

constexpr std::int64_t second = ns_per_second;
constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();

bool same(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

}  // namespace

TEST_CASE("times move over the borders of seconds, both ways") {
  CHECK(same(moved({5, 999'999'999}, 1), {6, 0}));
  CHECK(same(moved({6, 0}, -1), {5, 999'999'999}));
  CHECK(same(moved({5, 500'000'000}, 1'000'000 * second + 600'000'000), {1'000'006, 100'000'000}));
  CHECK(same(moved({1'000'006, 100'000'000}, -1'000'000 * second - 600'000'000), {5, 500'000'000}));
  CHECK(same(moved({5, 0}, 0), {5, 0}));
  CHECK(same(moved({0, 0}, -1), {-1, 999'999'999}));
}

TEST_CASE("INV-60 a deadline is as far off by the kernel's clock as it is by the program's") {
  for (const std::int64_t offset : {0L, 1L, -1L, 1'000'000 * second, -1'000'000 * second + 7, 123'456'789'012'345'678})
    for (const timespec kernel : {timespec{1'500'000, 3}, timespec{2'000'000, 0}, timespec{9'000'000, 999'999'999}}) {
      const timespec program = moved(kernel, offset);
      CHECK(same(kernel_deadline(program, offset), is_time(program) ? kernel : program));
    }
}

TEST_CASE("a deadline that is over before the kernel's clock began is over, and no disarmed timer") {
  CHECK(same(kernel_deadline({100, 0}, 100 * second), {0, 1}));
  CHECK(same(kernel_deadline({100, 0}, 101 * second), {0, 1}));
  CHECK(same(kernel_deadline({0, 0}, 1'000'000 * second), {0, 1}));
  CHECK(same(kernel_deadline({0, 0}, 0), {0, 1}));
}

TEST_CASE("a deadline that never comes never comes") {
  CHECK(same(kernel_deadline({last, 999'999'999}, -2 * second), {last, 999'999'999}));
  CHECK(kernel_deadline({last, 999'999'999}, 1'000'000 * second).tv_sec == last - 1'000'000);
}

TEST_CASE("what is no time is left for the kernel to refuse") {
  for (const timespec wrong : {timespec{1, second}, timespec{1, -1}, timespec{-1, 0}, timespec{-5, last}})
    CHECK(same(kernel_deadline(wrong, 1'000'000 * second), wrong));
}

TEST_CASE("clocks that begin at the boot, or with the process, are moved; dates are not") {
  const auto is = [](int clock, program_clock which) {
    return program_clock_of(clock).is_moved && program_clock_of(clock).which == which;
  };
  CHECK(is(CLOCK_MONOTONIC, program_clock::monotonic));
  CHECK(is(CLOCK_MONOTONIC_COARSE, program_clock::monotonic));
  CHECK(is(CLOCK_MONOTONIC_RAW, program_clock::raw));
  CHECK(is(CLOCK_BOOTTIME, program_clock::boottime));
  CHECK(is(CLOCK_BOOTTIME_ALARM, program_clock::boottime));
  CHECK(is(CLOCK_PROCESS_CPUTIME_ID, program_clock::process));
  CHECK(is(CLOCK_THREAD_CPUTIME_ID, program_clock::thread));
  CHECK(is(own_process_clock, program_clock::process));
  CHECK(is(own_thread_clock, program_clock::thread));
  for (const int clock : {CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_REALTIME_ALARM, CLOCK_TAI, -14, -29, 12345})
    CHECK_FALSE(program_clock_of(clock).is_moved);
}

}  // namespace lower_program_clocks_tests
