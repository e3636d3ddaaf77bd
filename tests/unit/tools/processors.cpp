// The processors that a thread may use, as kernels of small and of very large machines say it.
#include <runtime/words/processors.hpp>

#include <doctest/doctest.h>

#include <sched.h>

namespace tools_processors_tests {

namespace {

/// A kernel whose masks have so many bits; the thread may use the last three.
struct kernel {
  std::size_t bits;
  int refused = 0;
  long operator()(std::size_t bytes, unsigned long* mask) {
    if (bytes * 8 < bits) { ++refused; errno = EINVAL; return -1; }
    for (std::size_t i = bits - 3; i < bits; ++i) mask[i / 64] |= 1ul << i % 64;
    return static_cast<long>(bits / 8);
  }
};

}  // namespace

TEST_CASE("a machine of more than 1,024 processors: the mask grows until the kernel takes it") {
  for (const std::size_t bits : {64ul, 1024ul, 1088ul, 8192ul, 1ul << 22}) {
    kernel k{bits};
    CHECK(mana::processors_in(mana::allowed_processors(k)) == 3);
    CHECK((k.refused > 0) == (bits > 1024));
  }
}

TEST_CASE("a kernel that does not say: one processor, and no endless loop") {
  int asked = 0;
  const auto refuses = [&](int error) {
    asked = 0;
    const auto ask = [&](std::size_t, unsigned long*) { ++asked; errno = error; return -1l; };
    return mana::processors_in(mana::allowed_processors(ask));
  };
  CHECK(refuses(EPERM) == 1);
  CHECK(asked == 1);
  CHECK(refuses(EINVAL) == 1);
  CHECK(asked < 20);
  CHECK(mana::processors_in({0, 0}) == 1);
}

TEST_CASE("this machine: as the C library says") {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0) return;
  CHECK(mana::processor_count() == CPU_COUNT(&own));
}

}  // namespace tools_processors_tests
