// INV-92: which images a lower half restarts, and what it says of the others.
#include <runtime/image/format/own_version.hpp>

#include <mana/lower/abi.hpp>

#include <doctest/doctest.h>

namespace version_check_tests {

using namespace mana;
using image::why_not_read;

namespace {

bool says(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* const word : words)
    if (text.find(word) == std::string::npos) return false;
  return true;
}

struct table_of_then {
  lower::table_head head;
  void (*first)();
  std::uint64_t word;
  void (*later)();
};

}  // namespace

TEST_CASE("a lower half restarts images of its major whose minor is at most its own") {
  CHECK(why_not_read({8, 2}, {8, 0}).empty());
  CHECK(why_not_read({8, 2}, {8, 2}).empty());
  CHECK(!why_not_read({8, 2}, {8, 3}).empty());
  CHECK(!why_not_read({8, 2}, {9, 0}).empty());
  CHECK(!why_not_read({8, 2}, {7, 0}).empty());
  CHECK(image::own_version() == lower::boundary_version{lower::layout_major, lower::services_minor});
}

TEST_CASE("a refusal names both versions, and which mana reads the image") {
  CHECK(says(why_not_read({8, 2}, {8, 3}), {"version 8.3", "this mana has 8.2", "images 8.N with N at least 3"}));
  CHECK(says(why_not_read({8, 2}, {9, 1}), {"version 9.1", "this mana has 8.2", "images 9.N with N at least 1"}));
  for (std::uint32_t before = 1; before <= 7; ++before)
    CHECK(says(why_not_read({8, 0}, {before, 0}), {"this mana has 8.0", "mana 0.1.0"}));
}

TEST_CASE("each major of before has its reader") {
  std::uint32_t newest = 0;
  for (const lower::former_major& former : lower::former_majors) {
    CHECK(former.major > newest);
    newest = former.major;
  }
  CHECK(newest + 1 == lower::layout_major);
}

TEST_CASE("a table has what it was made with, and what is not null") {
  table_of_then table{{sizeof table, 3}, [] {}, 7, nullptr};
  CHECK(lower::has(table, &table_of_then::first));
  CHECK(lower::has(table, &table_of_then::word));
  CHECK(!lower::has(table, &table_of_then::later));
  table.later = [] {};
  CHECK(lower::has(table, &table_of_then::later));
  table.head.bytes = offsetof(table_of_then, later);
  CHECK(!lower::has(table, &table_of_then::later));
  CHECK(lower::has(table, &table_of_then::word));
  table.head.bytes = offsetof(table_of_then, word) + 4;
  CHECK(!lower::has(table, &table_of_then::word));
}

TEST_CASE("the rows of sizes are those of the minors, each larger than the one before") {
  std::uint32_t minor = 0;
  for (const lower::table_sizes& sizes : lower::sizes_by_minor) {
    CHECK(sizes.minor == minor);
    if (minor > 0) {
      CHECK(sizes.services >= lower::sizes_by_minor[minor - 1].services);
      CHECK(sizes.bridge >= lower::sizes_by_minor[minor - 1].bridge);
    }
    ++minor;
  }
}

}  // namespace version_check_tests
