// System V segments that outlive their job.
#include <runtime/descriptors/memory/segments.hpp>

#include <doctest/doctest.h>

#include <sys/ipc.h>
#include <sys/shm.h>

#include <cstring>

namespace descriptors_segments_tests {

using namespace mana::descriptors;

TEST_CASE("a segment is found again while it is the same, and cleared for what was saved") {
  const int id = shmget(IPC_PRIVATE, 5000, IPC_CREAT | 0600);
  REQUIRE(id >= 0);
  const auto described = describe_segment(id, 8192);
  REQUIRE_FALSE(described.is_null());
  CHECK(describe_segment(id, 4096).is_null());              // a part of it
  CHECK(find_segment(described) == id);
  auto* const map = static_cast<char*>(shmat(id, nullptr, 0));
  REQUIRE(map != reinterpret_cast<char*>(-1));
  std::strcpy(map + 4990, "later");
  CHECK(clear_segment(id));
  CHECK(map[4990] == 0);
  for (const char* what : {"key", "bytes", "creator", "changed"}) {
    auto other = described;
    other[what] = other[what].get<long>() + 1;
    CHECK(find_segment(other) == -1);
  }
  CHECK(find_segment({}) == -1);
  CHECK(find_segment({{"id", "text"}}) == -1);
  CHECK(shmctl(id, IPC_RMID, nullptr) == 0);
  CHECK(find_segment(described) == -1);                     // it goes with its last user
  CHECK(describe_segment(id, 8192).is_null());
  shmdt(map);
  CHECK_FALSE(clear_segment(id));
}

}  // namespace descriptors_segments_tests
