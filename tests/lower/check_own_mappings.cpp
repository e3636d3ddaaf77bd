// Libraries of the lower half map nothing in the window, unless they insist on an address.
#include <runtime/job/own/own_mappings.hpp>

#include <mana/lower/abi.hpp>

#include <doctest/doctest.h>

#include <sys/mman.h>

#include <cstdlib>
#include <string_view>

namespace {

using mana::lower::mmap_zone, mana::lower::window_begin, mana::lower::window_end;

constexpr std::size_t bytes = 1 << 20;
constexpr int plain = MAP_PRIVATE | MAP_ANONYMOUS;

/// Where memory comes to be that is wanted at an address.
std::uintptr_t mapped_at(std::uintptr_t wish, int more = 0) {
  void* const got = mmap(reinterpret_cast<void*>(wish), bytes, PROT_NONE, plain | more, -1, 0);
  REQUIRE(got != MAP_FAILED);
  munmap(got, bytes);
  return reinterpret_cast<std::uintptr_t>(got);
}

bool is_in_window(std::uintptr_t at) { return at < window_end && at + bytes > window_begin; }

}  // namespace

TEST_CASE("a wish for an address of the window is not heard") {
  CHECK_FALSE(is_in_window(mapped_at(mmap_zone)));
  CHECK_FALSE(is_in_window(mapped_at(window_begin - bytes / 2)));
  CHECK_FALSE(is_in_window(mapped_at(window_end - bytes)));
}

TEST_CASE("other wishes are") {
  CHECK(mapped_at(window_begin - bytes) == window_begin - bytes);
  CHECK(mapped_at(window_end) == window_end);
}

TEST_CASE("mana itself maps the window") {
  CHECK(mapped_at(mmap_zone, MAP_FIXED_NOREPLACE) == mmap_zone);
}

TEST_CASE("PMIx shares no memory at addresses of its server") {
  setenv("PMIX_MCA_gds", "shmem2", 1);
  mana::job::keep_window_free();
  CHECK(std::string_view(getenv("PMIX_MCA_gds")) == "hash");
}
