// What the traps know of memory without a reservation.
#include <doctest/doctest.h>

#include <runtime/split/window/reservations.hpp>

#include <sys/mman.h>

namespace split_reservations_tests {

using namespace mana::split;

namespace {

constexpr std::uintptr_t base = 0x2200'0000'0000;
constexpr std::uintptr_t page(std::uintptr_t n) { return base + n * page_bytes; }
constexpr address_range pages(std::uintptr_t from, std::uintptr_t to) { return {page(from), page(to)}; }

using ranges = std::vector<address_range>;

ranges all() {
  const auto known = unreserved_memory();
  REQUIRE(known);
  return *known;
}

}  // namespace

TEST_CASE("INV-84: what is mapped, and mapped anew, and goes") {
  set_unreserved_memory(ranges{});
  CHECK(all().empty());
  note_reservation(pages(0, 10), true);
  note_reservation(pages(10, 20), true);
  CHECK(all() == ranges{pages(0, 20)});
  note_reservation(pages(5, 8), false);
  CHECK(all() == ranges{pages(0, 5), pages(8, 20)});
  CHECK(is_unreserved(page(4) + 100));
  CHECK_FALSE(is_unreserved(page(5)));
  CHECK(reservation_flag(page(8)) == MAP_NORESERVE);
  CHECK(reservation_flag(page(20)) == 0);
}

TEST_CASE("INV-84: what is moved, shorter and longer") {
  set_unreserved_memory(ranges{pages(0, 4), pages(6, 8)});
  copy_reservation(pages(0, 8), pages(100, 108));
  CHECK(all() == ranges{pages(0, 4), pages(6, 8), pages(100, 104), pages(106, 108)});
  copy_reservation(pages(4, 8), pages(100, 102));
  CHECK(all() == ranges{pages(0, 4), pages(6, 8), pages(102, 104), pages(106, 108)});
  set_unreserved_memory(ranges{pages(0, 4)});
  copy_reservation(pages(0, 4), pages(100, 110));
  CHECK(all() == ranges{pages(0, 4), pages(100, 110)});
  copy_reservation(pages(4, 8), pages(100, 110));
  CHECK(all() == ranges{pages(0, 4)});
  copy_reservation(pages(0, 0), pages(50, 52));      // shared memory, which is there twice then
  CHECK(all() == ranges{pages(0, 4), pages(50, 52)});
}

TEST_CASE("INV-84: where nobody knows, all is unreserved; what is mapped afterwards is known") {
  set_unreserved_memory(std::nullopt);
  CHECK(is_unreserved(page(7)));
  note_reservation(pages(7, 8), false);
  CHECK_FALSE(is_unreserved(page(7)));
  CHECK(all().size() == 2);
  set_unreserved_memory(ranges{});
}

}  // namespace split_reservations_tests
