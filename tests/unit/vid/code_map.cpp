#include <mana/vid/code_map.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace vid_code_map_tests {

using mana::vid::code_map;

TEST_CASE("bits give their code, a code its bits, and what was not added gives none") {
  static code_map map;
  map.add(0x201, 0x4c00'0101);
  map.add(0x202, 0x4c00'0202);
  CHECK(map.code(0x4c00'0101) == 0x201);
  CHECK(map.code(0x4c00'0202) == 0x202);
  CHECK(map.bits(0x202) == 0x4c00'0202);
  CHECK(map.code(0) == 0);
  CHECK(map.code(0x4c00'0303) == 0);
  CHECK(map.bits(0xffff'ffff) == 0);
}

TEST_CASE("of several codes with the same bits the first counts, and each knows its bits") {
  static code_map map;
  map.add(5, 77);
  map.add(6, 77);
  CHECK(map.code(77) == 5);
  CHECK(map.bits(6) == 77);
}

TEST_CASE("zero is a handle like any other") {
  static code_map map;
  map.add(3, 0);
  CHECK(map.code(0) == 3);
  CHECK(map.code(1) == 0);
}

TEST_CASE("INV-19 holds for handles of every shape") {
  const auto all_found = [](std::vector<std::uint64_t> handles) {
    code_map map;
    std::uint32_t code = 0;
    for (const std::uint64_t h : handles) map.add(++code, h);
    code = 0;
    for (const std::uint64_t h : handles) REQUIRE(map.code(h) == ++code);
    for (const std::uint64_t h : handles) {
      REQUIRE(map.code(h + 1'000'003) == 0);
      REQUIRE(map.code(~h) == 0);
    }
  };
  for (std::uint64_t base : {0x4c00'0000ull, 0x7f12'3456'7000ull, 0x5555'5555'4040ull, 0ull})
    for (std::uint64_t stride : {1ull, 0x100ull, 512ull, 4096ull, 1ull << 32, 1ull << 54}) {
      std::vector<std::uint64_t> handles;
      for (std::uint64_t i = 0; i < 100; ++i) handles.push_back(base + i * stride);
      all_found(handles);
    }
}

}  // namespace vid_code_map_tests
