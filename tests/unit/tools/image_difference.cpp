#include <runtime/tools/look/image_difference.hpp>

#include "saved_image.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace tools_image_difference_tests {

using namespace mana;
using namespace mana::tools;
namespace wm = window_memory;
using saved_image::page_at;

namespace {

image_difference compared(const std::string& a, const std::string& b) {
  return compare(tools::saved_memory(a), tools::saved_memory(b));
}

constexpr std::size_t per_chunk = image::chunk_bytes / wm::page;

}  // namespace

TEST_CASE("equal images are equal by their indices, whatever they are packed with") {
  const temporary_directory own;
  const saved_image::known_memory memory;
  const std::string a = saved_image::write(own, "a"), b = saved_image::write(own, "b"), c = saved_image::write(own, "c", "lz4");
  CHECK(compared(a, b).is_none());
  CHECK(compared(a, b).read_bytes == 0);
  CHECK(compared(a, a).compared_bytes == saved_image::bytes);
  CHECK(compared(a, c).is_none());
  CHECK(as_text(compared(a, b), false) == "rank 0: no difference\n");
}

TEST_CASE("how far a comparison is, is told of the memory that the first image keeps, read or not") {
  const temporary_directory own;
  const saved_image::known_memory memory;
  const std::string a = saved_image::write(own, "a");
  page_at(1)[17] ^= 1;
  const std::string b = saved_image::write(own, "b");
  const tools::saved_memory first(a), second(b);
  std::uint64_t passed = 0, kept = 0;
  for (const image::chunk_record& c : first.about().chunks) kept += c.memory_bytes;
  compare(first, second, [&passed](std::uint64_t bytes) { passed += bytes; });
  CHECK(passed == kept);
}

TEST_CASE("pages that differ are told, and only their chunks are read") {
  const temporary_directory own;
  const saved_image::known_memory memory;
  const std::string a = saved_image::write(own, "a");
  page_at(1)[17] ^= 1;
  page_at(2)[4095] ^= 1;
  page_at(3)[0] = 1;                     // was zeros
  page_at(150)[0] ^= 1;
  std::memset(page_at(152), 0, wm::page);
  const std::string b = saved_image::write(own, "b"), c = saved_image::write(own, "c", "zstd");
  for (const std::string& other : {b, c}) {
    const image_difference found = compared(a, other);
    REQUIRE(found.regions.size() == 1);
    const auto& pages = found.regions[0].pages;
    REQUIRE(pages.size() == 3);
    CHECK(pages[0].begin == wm::heap + wm::page);
    CHECK(pages[0].bytes() == 3 * wm::page);
    CHECK(pages[1].begin == wm::heap + 150 * wm::page);
    CHECK(pages[1].bytes() == wm::page);
    CHECK(pages[2].begin == wm::heap + 152 * wm::page);
    CHECK(found.differing_bytes() == 5 * wm::page);
    CHECK(found.sections.empty());
    CHECK_FALSE(found.regions[0].mapped_otherwise);
  }
  const std::uint64_t read = compared(a, b).read_bytes;
  CHECK(read > 0);
  CHECK(read <= 8 * image::chunk_bytes);
  const auto json = as_json(compared(a, b));
  CHECK(json["differing_bytes"] == 5 * wm::page);
  CHECK(json["regions"][0]["pages"].size() == 3);
  CHECK(as_text(compared(a, b), true).find(fmt::format("{:#x}-{:#x}", wm::heap + wm::page, wm::heap + 4 * wm::page)) !=
        std::string::npos);
}

TEST_CASE("one changed page costs one chunk of each image") {
  const temporary_directory own;
  wm::map(wm::heap, 16 * image::chunk_bytes);
  for (std::size_t i = 0; i < 16 * per_chunk; ++i) page_at(i)[0] = static_cast<char>(i + 1);     // no page is zero
  for (std::size_t i = 0; i < 16 * per_chunk; ++i) page_at(i)[1] = 1;
  const std::string a = saved_image::write(own, "a");
  page_at(5 * per_chunk + 3)[9] = 1;
  const std::string b = saved_image::write(own, "b");
  munmap(page_at(0), 16 * image::chunk_bytes);
  const image_difference found = compared(a, b);
  CHECK(found.differing_bytes() == wm::page);
  CHECK(found.read_bytes == 2 * image::chunk_bytes);
}

TEST_CASE("regions and sections that only one has, and what is mapped otherwise") {
  const temporary_directory own;
  const saved_image::known_memory memory;
  const std::string a = saved_image::write(own, "a", "none", {saved_image::section_of("one", "1"),
                                                             saved_image::section_of("old", "1")});
  wm::map(wm::heap + 1024 * wm::page, wm::page);
  wm::protect(wm::heap + 100 * wm::page, 10 * wm::page, PROT_READ);
  munmap(page_at(198), 2 * wm::page);
  const std::string b = saved_image::write(own, "b", "none", {saved_image::section_of("one", "2"),
                                                             saved_image::section_of("new", "1")});
  munmap(page_at(1024), wm::page);
  const image_difference found = compared(a, b);
  REQUIRE(found.regions.size() == 3);
  CHECK(found.regions[0].mapped_otherwise);
  CHECK(found.regions[0].at.begin == wm::heap + 100 * wm::page);
  CHECK(found.regions[0].at.bytes() == 10 * wm::page);
  CHECK(found.regions[0].bytes() == 0);
  CHECK(found.regions[1].where == presence::first_only);
  CHECK(found.regions[1].bytes() == 2 * wm::page);
  CHECK(found.regions[2].where == presence::second_only);
  REQUIRE(found.sections.size() == 3);
  CHECK(found.sections[0].name == "one");
  CHECK(found.sections[1].name == "old");
  CHECK(found.sections[2].name == "new");
  CHECK(found.sections[2].where == presence::second_only);
  CHECK_FALSE(as_json(found)["equal"].get<bool>());
}

}  // namespace tools_image_difference_tests
