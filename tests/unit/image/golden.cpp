// Images that older versions of mana wrote, still restore.
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <rank_image.hpp>

#include <mana/lower/abi.hpp>

#include <doctest/doctest.h>

#include <filesystem>

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
      if (saved.header().abi_version != lower::abi_version) return "";     // its memory is of no use any more
      saved.verify();
      saved.restore_memory();
      return wm::difference(wm::heap, wm::small, 1) + wm::difference(wm::sparse + (1ul << 30), 3 * wm::page, 2);
    }) == "");
  }
}
