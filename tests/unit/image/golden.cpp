// Images that older versions of mana wrote, still restore.
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>

namespace golden_tests {

using namespace mana;
namespace wm = window_memory;

namespace {

std::filesystem::path golden(const char* name) {
  return std::filesystem::path(MANA_GOLDEN_IMAGES) / name;
}

}  // namespace

TEST_CASE("a golden image of each version that is read restores") {
  for (const char* const name : {"version-1.mana", "version-2.mana"}) {
    INFO(name);
    CHECK(in_child([&]() -> std::string {
      const temporary_directory directory;         // a file of ours, whoever owns this one
      image::rank_image saved(directory.write(name, read_bytes(golden(name))));
      if (saved.header().rank != 1 || saved.header().world_size != 2) return "another rank";
      if (saved.section("run").size() != 300 || saved.section("run")[7] != 7) return "another section";
      saved.verify();
      saved.restore_memory();
      return wm::difference(wm::heap, wm::small, 1) + wm::difference(wm::sparse + (1ul << 30), 3 * wm::page, 2);
    }) == "");
  }
}

/// Generation 1: an image packed by LZ4. Generation 2: its pages 4 to 7 anew, packed by zstd, the rest from generation 1.
TEST_CASE("a golden chain restores") {
  const temporary_directory directory;
  for (const char* const name : {"gen-000001", "gen-000002"}) {
    std::filesystem::create_directory(directory.path() / name);
    directory.write(std::string(name) + "/rank-00000.mana", read_bytes(golden("version-2-chain") / name / "rank-00000.mana"));
  }
  CHECK(in_child([&]() -> std::string {
    image::rank_image saved(directory.path() / "gen-000002" / "rank-00000.mana");
    saved.verify();
    saved.restore_memory();
    if (const std::string wrong = wm::difference(wm::heap + 4 * wm::page, 4 * wm::page, 9); !wrong.empty()) return wrong;
    wm::map(wm::sparse, wm::small);
    wm::fill(wm::sparse, wm::small, 1);
    std::memcpy(reinterpret_cast<char*>(wm::heap + 4 * wm::page), reinterpret_cast<char*>(wm::sparse + 4 * wm::page), 4 * wm::page);
    return wm::difference_small();
  }) == "");
}

}  // namespace golden_tests
