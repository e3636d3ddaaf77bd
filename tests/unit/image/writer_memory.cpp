// What a writer says of the memory that it took for itself is what the kernel saw.
#include "../long_run.hpp"
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

#include <fstream>

namespace writer_memory_tests {

using namespace mana;
namespace wm = window_memory;

namespace {

constexpr std::size_t payload = 64u << 20, slack = 4u << 20;      // stacks, code, what malloc keeps

/// Bytes that were resident at most since the last call.
std::size_t greatest_resident() {
  std::ifstream status("/proc/self/status");
  std::size_t kib = 0;
  for (std::string line; std::getline(status, line);)
    if (std::sscanf(line.c_str(), "VmHWM: %zu kB", &kib) == 1) break;
  std::ofstream("/proc/self/clear_refs") << 5;
  return kib * 1024;
}

std::string said_and_seen(const std::string& path, const char* how, bool sums, unsigned threads) {
  return in_child([&]() -> std::string {
    wm::map(wm::heap, payload);
    auto* const words = reinterpret_cast<std::uint64_t*>(wm::heap);
    for (std::size_t i = 0; i < payload / 8; ++i) words[i] = i * 0x9e37'79b9'7f4a'7c15u;
    image::image_plan plan;
    plan.path = path;
    plan.regions = image::upper_regions(0, 0);
    plan.how = image::parse_packing(how);
    plan.sums = sums;
    plan.pack_threads = threads;
    greatest_resident();
    const std::size_t before = greatest_resident();
    const image::write_result written = image::write_rank_image(std::move(plan));
    const std::size_t took = greatest_resident() - before;
    if (written.writer_bytes > (40u << 20)) return "it says " + std::to_string(written.writer_bytes);
    return took <= written.writer_bytes + slack ? "" : std::to_string(took) + " bytes instead of " + std::to_string(written.writer_bytes);
  });
}

}  // namespace

TEST_CASE("the memory that writing takes is bounded, and no more than is said") {
  const temporary_directory directory;
  int n = 0;
  for (const char* const how : {"none", "lz4", "zstd:3"})
    for (const unsigned threads : {1u, 4u}) {
      const bool sums = ++n / 2 % 2 == 1;     // each packing and each number of threads has both
      if (!is_long_run() && n != 1 && n != 3 && n != 6) continue;
      CHECK(said_and_seen(directory.path() / ("image" + std::to_string(n)), how, sums, threads) == "");
    }
}

}  // namespace writer_memory_tests
