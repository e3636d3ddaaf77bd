// "INV-48" Memory that lies in several of the kernel's mappings is moved and grown as one.
#include <runtime/split/call/pieces.hpp>

#include <doctest/doctest.h>

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace split_pieces_tests {

using namespace mana::split;

namespace {

constexpr std::size_t page = 4096, half = 16 * page, whole = 2 * half;

/// Address space of which the middle is memory of two mappings: new memory, and what userfaultfd tracks (the kernel permitting;
/// else what was advised otherwise).
class two_mappings {
 public:
  two_mappings() : room_(static_cast<char*>(mmap(nullptr, 8 * whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    map(whole);
    std::memset(room_ + whole, 7, whole);
    if (!track(whole)) madvise(room_ + whole + half, half, MADV_DONTDUMP);
    map(half);
    std::memset(room_ + whole, 8, half);
  }
  ~two_mappings() {
    if (tracker_ >= 0) close(tracker_);
    munmap(room_, 8 * whole);
  }
  two_mappings(const two_mappings&) = delete;
  two_mappings& operator=(const two_mappings&) = delete;

  address_range range() const { return {at(whole), at(2 * whole)}; }
  address_range elsewhere(std::size_t bytes) const { return {at(4 * whole), at(4 * whole) + bytes}; }
  char* second() const { return room_ + whole + half; }

 private:
  std::uintptr_t at(std::size_t offset) const { return reinterpret_cast<std::uintptr_t>(room_) + offset; }
  void map(std::size_t bytes) {
    mmap(room_ + whole, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  }
  bool track(std::size_t bytes) {
    tracker_ = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY));
    uffdio_api api{};
    api.api = UFFD_API;
    uffdio_register range{};
    range.range = {at(whole), bytes};
    range.mode = UFFDIO_REGISTER_MODE_WP;
    return tracker_ >= 0 && ioctl(tracker_, UFFDIO_API, &api) == 0 && ioctl(tracker_, UFFDIO_REGISTER, &range) == 0;
  }

  char* room_;
  int tracker_ = -1;
};

bool has(std::uintptr_t at, std::size_t bytes, char value) {
  const auto* const memory = reinterpret_cast<const char*>(at);
  for (std::size_t i = 0; i < bytes; ++i)
    if (memory[i] != value) return false;
  return true;
}

bool is_free(address_range r) { return survey(r).count == 0; }

}  // namespace

TEST_CASE("\"INV-48\" the kernel has two mappings where the test needs them") {
  const two_mappings memory;
  CHECK(survey(memory.range()).count == 2);
  CHECK(survey(memory.range()).is_whole());
}

TEST_CASE("\"INV-48\" several mappings move as one") {
  const two_mappings memory;
  const address_range to = memory.elsewhere(whole);
  CHECK(move_by_pieces(memory.range(), to, false) == static_cast<long>(to.begin));
  CHECK(has(to.begin, half, 8));
  CHECK(has(to.begin + half, half, 7));
  CHECK(is_free(memory.range()));
}

TEST_CASE("\"INV-48\" several mappings move and grow, or shrink") {
  const two_mappings memory;
  const address_range to = memory.elsewhere(whole + half);
  CHECK(move_by_pieces(memory.range(), to, false) == static_cast<long>(to.begin));
  CHECK(has(to.begin, half, 8));
  CHECK(has(to.begin + half, half, 7));
  CHECK(has(to.begin + whole, half, 0));
  const address_range back{memory.range().begin, memory.range().begin + half + page};
  CHECK(move_by_pieces(to, back, false) == static_cast<long>(back.begin));
  CHECK(has(back.begin, half, 8));
  CHECK(has(back.begin + half, page, 7));
  CHECK(is_free(to));
}

TEST_CASE("\"INV-48\" what several mappings leave behind is empty") {
  const two_mappings memory;
  const address_range to = memory.elsewhere(whole);
  const long result = move_by_pieces(memory.range(), to, true);
  if (result == -EINVAL) return;      // Linux before 5.7
  CHECK(result == static_cast<long>(to.begin));
  CHECK(has(to.begin, half, 8));
  CHECK(has(memory.range().begin, whole, 0));
}

TEST_CASE("\"INV-48\" where the second mapping cannot be moved the first is where it was") {
  for (const bool keeps_old : {false, true}) {
    constexpr long mseal = 462;      // Linux 6.10
    // Never unmapped: that is what it is sealed against.
    const two_mappings& memory = *new two_mappings;
    if (syscall(mseal, memory.second(), half, 0) != 0) {
      MESSAGE("not tried: nothing can be sealed");
      return;
    }
    CHECK(move_by_pieces(memory.range(), memory.elsewhere(whole), keeps_old) == -EPERM);
    CHECK(has(memory.range().begin, half, 8));
    CHECK(has(memory.range().begin + half, half, 7));
  }
}

TEST_CASE("\"INV-48\" a hole, and mappings that were not made as one, are refused before anything is moved") {
  const two_mappings memory;
  const address_range r = memory.range();
  mprotect(memory.second(), half, PROT_READ);
  CHECK(move_by_pieces(r, memory.elsewhere(whole + half), false) == -EFAULT);
  munmap(memory.second(), page);
  CHECK(move_by_pieces(r, memory.elsewhere(whole), false) == -EFAULT);
  CHECK(move_by_pieces({r.begin, r.begin}, memory.elsewhere(whole), false) == -EFAULT);
  CHECK(has(r.begin, half, 8));
  CHECK(has(r.begin + half + page, half - page, 7));
}

TEST_CASE("\"INV-48\" the last of several mappings grows in its place") {
  const two_mappings memory;
  const address_range r = memory.range();
  CHECK(grow_last_piece(r, half) == -ENOMEM);
  munmap(reinterpret_cast<void*>(r.end), half);
  CHECK(!is_error(grow_last_piece(r, half)));
  CHECK(has(r.begin + half, half, 7));
  CHECK(has(r.end, half, 0));
}

}  // namespace split_pieces_tests
