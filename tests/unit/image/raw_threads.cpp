#include "../long_run.hpp"
#include "own_tasks.hpp"

#include <runtime/image/format/packing.hpp>
#include <runtime/image/memory/raw_threads.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

namespace raw_threads_tests {

using namespace mana;
using image::chunk_bytes, image::page_bytes;

namespace {

struct shared {
  std::atomic<std::uint32_t> word{0}, done{0};
  std::atomic<std::uintptr_t> stacks[3] = {};
};

/// Waits for a word that is another already, often: the kernel's answer is an error.
void wait_in_vain(void* with, unsigned number) noexcept {
  shared& s = *static_cast<shared*>(with);
  char here = 0;
  s.stacks[number].store(reinterpret_cast<std::uintptr_t>(&here));
  for (int i = 0; i < 1000; ++i) image::await_change(s.word, 1);
  s.done.fetch_add(1);
}

}  // namespace

TEST_CASE("threads of the kernel's alone run, on stacks of their own, and leave errno alone") {
  image::raw_threads threads(3);
  shared s;
  for (int round = 1; round <= 2; ++round) {
    errno = 77;
    CHECK(threads.start(wait_in_vain, &s) == 3);
    bool kept = true;
    while (s.done.load() < 3u * static_cast<unsigned>(round)) kept = kept && errno == 77;
    threads.join();
    CHECK(kept);
    CHECK(threads.running() == 0);
    CHECK(become_alone());
    for (int i = 1; i < 3; ++i) CHECK(s.stacks[i] - s.stacks[i - 1] > image::raw_threads::stack_bytes);
  }
}

TEST_CASE("none are none") {
  image::raw_threads threads(0);
  CHECK(threads.start(wait_in_vain, nullptr) == 0);
  threads.join();
}

TEST_CASE("a packer's memory is enough for chunks of all sizes, at every level") {
  const std::size_t sizes[] = {1, 4, 5, 32, 33, chunk_bytes / page_bytes};     // parameters change between
  std::vector<char> memory(chunk_bytes), into(chunk_bytes), back(chunk_bytes);
  std::uint64_t x = 1;
  for (char& c : memory) {
    x = x * 6364136223846793005u + 1;
    c = static_cast<char>(x >> 60);
  }
  const std::vector<int> one_of_each_kind{1, 3, 5, 7, 12, 15, 17, 19};     // of matching, whose memory differs
  for (int level = 1; level <= 19; ++level) {
    if (!is_long_run() && std::ranges::find(one_of_each_kind, level) == one_of_each_kind.end()) continue;
    image::packer by({image::packing_mode::zstd, level});
    CHECK(by.workspace_bytes() < (8u << 20));
    for (const std::size_t pages : sizes) {
      const std::size_t bytes = pages * page_bytes, packed = by.pack(memory.data(), bytes, into.data());
      CAPTURE(level);
      CAPTURE(bytes);
      CHECK(packed > 0);
      CHECK(image::unpack(image::codec::zstd, into.data(), packed, back.data(), bytes));
      CHECK(std::memcmp(memory.data(), back.data(), bytes) == 0);
    }
  }
}

}  // namespace raw_threads_tests
