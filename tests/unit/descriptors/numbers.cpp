// Which numbers are whose.
#include "held_descriptors.hpp"

#include <runtime/descriptors/base/low_descriptor_guard.hpp>

namespace descriptors_numbers_tests {

using namespace mana::descriptors;
using namespace mana::descriptors::tests;

namespace {

int lowest_free_number() {
  const int number = dup(0);
  close(number);
  return number;
}

}  // namespace

TEST_CASE("under a guard descriptors get high numbers, after it the lowest") {
  const int lowest = lowest_free_number();
  {
    const low_descriptor_guard guard;
    const int high = dup(0);
    CHECK(high >= first_lower_descriptor());
    {
      const low_descriptor_guard nested;
      const int also = dup(0);
      CHECK(also > high);
      close(also);
    }
    const int still = dup(0);
    CHECK(still > high);
    close(still);
    close(high);
  }
  CHECK(lowest_free_number() == lowest);
}

TEST_CASE("a restart takes its numbers from a guard, and the rest is free afterwards") {
  held_descriptors held;
  held.write("data", "text");
  const int fd = held.hold(open("data", O_RDONLY));
  const captured image = held.taken();
  held.close_all();
  const int lowest = lowest_free_number();
  {
    const low_descriptor_guard guard;
    const int lower_half = dup(0);
    restore(image.bytes);
    CHECK(read_some(fd) == "text");
    CHECK(lowest_free_number() == lowest);
    close(lower_half);
  }
  lseek(fd, 0, SEEK_SET);
  CHECK(read_some(fd) == "text");   // the guard's end did not close it
}

TEST_CASE("a number that something else has is an error") {
  held_descriptors held;
  held.write("data", "text");
  const int fd = held.hold(open("data", O_RDONLY));
  const captured image = held.taken();
  held.close_all();
  CHECK(dup2(0, fd) == fd);
  CHECK_THROWS_WITH_AS(restore(image.bytes), doctest::Contains("descriptor 40 of the program"), descriptor_error);
}

}  // namespace descriptors_numbers_tests
