// INV-65: numbers of MPI_T over restarts whose library numbers the same things in another way, lacks some, has others.
#include <mana/object/tool/numbers.hpp>

#include <doctest/doctest.h>

namespace wrappers_tool_numbers_tests {

namespace {

/// A library; "" is a thing that it has unloaded.
std::vector<std::string> library;
struct below {
  static int count() { return static_cast<int>(library.size()); }
  static std::string name(int live) { return library[static_cast<std::size_t>(live)]; }
};
using numbers = mana::object::told_numbers<below>;

}  // namespace

TEST_CASE("INV-65 before a restart numbers are the library's, unloaded things included") {
  library = {"a", "", "c"};
  numbers n;
  CHECK(n.count(0) == 3);
  for (int i = 0; i < 3; ++i) CHECK((n.live(i, 0) == i && n.told(i, 0) == i));
  library.push_back("d");
  CHECK(n.count(0) == 4);
  CHECK(n.live(3, 0) == 3);
  CHECK(n.live(4, 0) == mana::object::no_number);
  CHECK(n.live(-1, 0) == mana::object::no_number);
  CHECK(n.told(4, 0) == -1);
}

TEST_CASE("INV-65 after a restart what was told is told: another order, some less, some more") {
  library = {"a", "b", "c", "d"};
  numbers n;
  CHECK(n.count(0) == 4);
  library = {"e", "d", "a"};                    // b and c are lacking
  CHECK(n.count(1) == 5);
  CHECK(n.live(0, 1) == 2);
  CHECK(n.live(1, 1) == mana::object::no_number);
  CHECK(n.live(2, 1) == mana::object::no_number);
  CHECK(n.live(3, 1) == 1);
  CHECK(n.live(4, 1) == 0);
  CHECK(n.told(0, 1) == 4);
  CHECK(n.told(1, 1) == 3);
  library.push_back("c");                       // comes later
  CHECK(n.count(1) == 5);
  CHECK(n.live(2, 1) == 3);
  library = {"b"};
  CHECK(n.count(2) == 5);
  CHECK(n.told(0, 2) == 1);
  for (const int lacking : {0, 2, 3, 4}) CHECK(n.live(lacking, 2) == mana::object::no_number);
}

TEST_CASE("INV-65 what has no name is known by it later, and gets no number twice") {
  library = {"", "b", "b"};
  numbers n;
  CHECK(n.count(0) == 3);
  CHECK(n.told(2, 0) == 2);                     // two of one name are two
  library[0] = "a";
  CHECK(n.live(0, 0) == 0);
  library = {"x", "", "a"};
  CHECK(n.told(2, 1) == 0);
  CHECK(n.told(1, 1) == -1);
  CHECK(n.count(1) == 4);
  library[1] = "b";
  CHECK(n.told(1, 1) == 1);
  CHECK(n.count(1) == 4);
}

TEST_CASE("INV-65 members of a category: what was told first, then what is new") {
  mana::object::told_members m;
  m.add({3, 1, -1});
  m.add({1, 7, 3});
  CHECK(m.count() == 3);
  int all[4] = {-5, -5, -5, -5};
  m.copy(4, all);
  CHECK((all[0] == 3 && all[1] == 1 && all[2] == 7 && all[3] == -5));
  m.copy(1, nullptr);
}

}  // namespace wrappers_tool_numbers_tests
