#include <mana/object/comm/inbox.hpp>

#include <doctest/doctest.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace drain_inbox_tests {

using mana::object::inbox;
namespace neutral = mana::neutral;

namespace {
mana::object::held_message* message(std::uint64_t context, int source, int tag, const char* text) {
  auto* m = inbox::make(context, {source, tag, 0, 0, static_cast<std::int64_t>(std::strlen(text))});
  REQUIRE(m != nullptr);
  std::memcpy(m->data(), text, std::strlen(text));
  return m;
}
}  // namespace

TEST_CASE("INV-5 messages of one source and communicator come out in the order in which they were received") {
  inbox box;
  for (const char* text : {"first", "second", "third"}) box.append(message(1, 0, 5, text));
  for (const char* text : {"first", "second", "third"}) {
    auto* m = box.take(1, 0, 5);
    REQUIRE(m != nullptr);
    CHECK(std::memcmp(m->data(), text, std::strlen(text)) == 0);
    inbox::destroy(m);
  }
  CHECK(box.empty());
}

TEST_CASE("a wildcard takes the earliest of any source; communicators never mix") {
  inbox box;
  box.append(message(2, 3, 1, "other communicator"));
  box.append(message(1, 2, 9, "a"));
  box.append(message(1, 0, 5, "b"));
  CHECK(box.find(1, neutral::any_source, neutral::any_tag)->source == 2);
  CHECK(box.find(1, neutral::any_source, 5)->source == 0);
  CHECK(box.find(1, 7, neutral::any_tag) == nullptr);
  auto* m = box.take(1, 0, neutral::any_tag);
  CHECK(m->tag == 5);
  inbox::destroy(m);
  box.append(message(1 + 1024, 0, 5, "beside the first communicator"));
  CHECK(box.find(1, 0, 5) == nullptr);
  box.drop(1 + 1024);
  box.drop(1);
  CHECK(box.find(1, neutral::any_source, neutral::any_tag) == nullptr);
  CHECK(box.find(2, 3, 1) != nullptr);
  box.drop(2);
  CHECK(box.empty());
}

TEST_CASE("what is appended after the last was taken is found") {
  inbox box;
  box.append(message(1, 0, 1, "x"));
  inbox::destroy(box.take(1, 0, 1));
  box.append(message(1, 0, 1, "y"));
  auto* m = box.take(1, 0, 1);
  REQUIRE(m != nullptr);
  inbox::destroy(m);
}

TEST_CASE("small messages share pages, large ones give theirs back") {
  constexpr int many = 20000;
  constexpr std::int64_t large = 1 << 20;
  inbox box;
  std::uintptr_t least = UINTPTR_MAX, most = 0;
  for (int i = 0; i < many; ++i) {
    auto* const m = message(1, 0, i, "small");
    least = std::min(least, reinterpret_cast<std::uintptr_t>(m) / 4096);
    most = std::max(most, reinterpret_cast<std::uintptr_t>(m) / 4096);
    box.append(m);
    if (i == 100) CHECK(most - least < 10);
  }
  auto* const m = inbox::make(1, {0, many, 0, 0, large});
  REQUIRE(m != nullptr);
  void* const page = m->block;
  std::memset(m->data(), 1, large);
  CHECK(msync(page, 4096, MS_ASYNC) == 0);
  inbox::destroy(m);
  CHECK(msync(page, 4096, MS_ASYNC) != 0);
  for (int i = 0; i < many; ++i) {
    auto* const small = box.take(1, 0, i);
    REQUIRE(small != nullptr);
    CHECK(std::memcmp(small->data(), "small", 5) == 0);
    inbox::destroy(small);
  }
  CHECK(box.empty());
}

}  // namespace drain_inbox_tests
