// What is written in one process stands at the same addresses in another, to the byte, protections included.
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace restore_tests {

using namespace mana;
namespace wm = window_memory;

namespace {

std::vector<image::section> some_sections() {
  return {{"run", {1, 2, 3}}, {"empty", {}}, {"descriptors", std::vector<std::uint8_t>(70'000, 9)}};
}

/// One mapping of every sort. mapped: a file of wm::small bytes
void make_memory(const std::string& mapped) {
  wm::map(wm::heap, wm::heap_bytes);
  wm::fill(wm::heap, wm::heap_bytes, 1);
  wm::map(wm::sparse, wm::sparse_bytes);                       // of which three pages are used
  wm::fill(wm::sparse + (wm::sparse_bytes / 2), 2 * wm::page, 2);
  wm::fill(wm::sparse + wm::sparse_bytes - wm::page, wm::page, 3);
  wm::map(wm::hidden, wm::small);
  wm::fill(wm::hidden, wm::small, 4);
  wm::protect(wm::hidden, wm::small / 2, PROT_NONE);           // holds something all the same
  wm::protect(wm::hidden + wm::small / 2, wm::small / 2, PROT_WRITE);
  wm::map(wm::code, wm::small);
  wm::fill(wm::code, wm::small, 5);
  wm::protect(wm::code, wm::small, PROT_READ | PROT_EXEC);
  wm::map(wm::shared, wm::small, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
  wm::fill(wm::shared, wm::small, 6);
  const int fd = open(mapped.c_str(), O_RDWR);
  wm::map(wm::library, 2 * wm::small, PROT_READ, MAP_PRIVATE, fd);   // half of it beyond the file's end
  wm::map(wm::file, wm::small, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
  close(fd);
  wm::map(wm::fixed, wm::small);
  wm::fill(wm::fixed, wm::small, 8);
}

std::string wrong_memory() {
  std::string wrong;
  wm::protect(wm::hidden, wm::small, PROT_READ);
  wrong += wm::difference(wm::heap, wm::heap_bytes, 1);
  wrong += wm::difference(wm::sparse + wm::sparse_bytes / 2, 2 * wm::page, 2);
  wrong += wm::difference(wm::sparse + wm::sparse_bytes - wm::page, wm::page, 3);
  wrong += wm::difference(wm::hidden, wm::small, 4);
  wrong += wm::difference(wm::code, wm::small, 5);
  wrong += wm::difference(wm::shared, wm::small, 6);
  wrong += wm::difference(wm::library, wm::small, 7);
  wrong += wm::difference(wm::file, wm::small, 7);
  wrong += wm::difference(wm::fixed, wm::small, 8);
  if (*reinterpret_cast<const char*>(wm::sparse) != 0) wrong += "what was never touched is not zero; ";
  return wrong;
}

/// Address, protection and sharing of every region; paths differ by design.
std::string as_text(const std::vector<image::region>& regions) {
  std::string text;
  for (const image::region& r : regions) {
    char line[96];
    std::snprintf(line, sizeof line, "%lx-%lx %d %d\n", static_cast<unsigned long>(r.begin),
                  static_cast<unsigned long>(r.end), r.protection, r.shared);
    text += line;
  }
  return text;
}

std::vector<image::region> all_regions() { return image::upper_regions(wm::fixed, wm::fixed + wm::small); }

std::string pattern(std::uint64_t seed) {
  std::vector<std::uint64_t> words(wm::small / 8);
  wm::fill(reinterpret_cast<std::uintptr_t>(words.data()), wm::small, seed);
  return {reinterpret_cast<const char*>(words.data()), wm::small};
}

}  // namespace

TEST_CASE("memory of every sort is restored in a fresh process") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  const std::string mapped = directory.write("mapped", pattern(7));

  CHECK(in_child([&]() -> std::string {
    make_memory(mapped);
    const auto before = all_regions();
    const auto sections = some_sections();
    const image::write_result result = image::write_rank_image(path, 3, 8, sections, before);
    if (result.checksum != image::rank_image(path).checksum()) return "the checksum is not the file's";
    if (image::rank_image(path).verify() != result.memory_bytes) return "the file holds other memory than was reported";
    if (result.memory_bytes > wm::heap_bytes + 16 * wm::small) return "pages that hold nothing were written";
    return as_text(before) == as_text(all_regions()) ? wrong_memory() : "writing changed the mappings";
  }) == "");

  struct stat about{};
  REQUIRE(stat(path.c_str(), &about) == 0);
  CHECK((about.st_mode & 07777) == 0600);

  directory.write("mapped", std::string(wm::small, 'x'));      // the program's later writes must not show
  CHECK(in_child([&]() -> std::string {
    image::rank_image image(path);
    if (image.header().rank != 3 || image.header().world_size != 8) return "another rank";
    image.restore_memory();
    if (as_text(all_regions()) != as_text(image.regions())) return "restored as\n" + as_text(all_regions());
    if (image.section("run").size() != 3 || image.section("run")[2] != 3) return "section run";
    if (!image.section("empty").empty() || image.section("descriptors").size() != 70'000) return "sections";
    return wrong_memory();
  }) == "");
  CHECK(read_bytes(mapped) == pattern(7));
}

TEST_CASE("what was restored can be written and restored again") {
  const temporary_directory directory;
  const std::string first = directory.path() / "first", second = directory.path() / "second";
  CHECK(in_child([&]() -> std::string {
    wm::make_small();
    image::write_rank_image(first, 0, 1, {}, image::upper_regions(0, 0));
    return {};
  }) == "");
  CHECK(in_child([&]() -> std::string {
    image::rank_image(first).restore_memory();
    image::write_rank_image(second, 0, 1, {}, image::upper_regions(0, 0));
    return {};
  }) == "");
  CHECK(read_bytes(first) == read_bytes(second));
}

TEST_CASE("memory that is in use is refused by its address") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  CHECK(in_child([&]() -> std::string {
    wm::make_small();
    image::write_rank_image(path, 0, 1, {}, image::upper_regions(0, 0));
    try {
      image::rank_image(path).restore_memory();
      return "restored over what is there";
    } catch (const files::image_error& error) {
      if (error.kind() != files::error_kind::occupied) return "another kind of error";
      return std::string(error.what()).find("0x220000000000-0x220000010000") != std::string::npos ? "" : error.what();
    }
  }) == "");
}

TEST_CASE("a mapped file that became shorter, or went away, is an error that names it") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  const std::string mapped = directory.write("mapped", std::string(wm::small, 'm'));
  CHECK(in_child([&]() -> std::string {
    const int fd = open(mapped.c_str(), O_RDWR);
    wm::map(wm::file, wm::small, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
    image::write_rank_image(path, 0, 1, {}, image::upper_regions(0, 0));
    return {};
  }) == "");
  const auto restored = [&]() -> std::string {
    image::rank_image(path).restore_memory();
    return {};
  };
  CHECK(in_child(restored) == "");
  directory.write("mapped", "short");
  CHECK(in_child(restored).find(mapped + ": a file that the program had mapped is shorter") != std::string::npos);
  const std::string elsewhere = directory.write("elsewhere", std::string(wm::small, 'e'));
  CHECK(in_child([&]() -> std::string {
    mana::files::path_map moved;
    moved.add(mapped + "=" + elsewhere);
    image::rank_image(path).restore_memory({}, moved);
    return {};
  }) == "");
  CHECK(read_bytes(elsewhere) == std::string(wm::small, 'm'));
  std::filesystem::remove(mapped);
  CHECK(in_child(restored).find(mapped + ": a file that the program had mapped cannot be opened") != std::string::npos);
}

TEST_CASE("mappings outside the window are nobody's") {
  CHECK(in_child([&]() -> std::string {
    wm::make_small();
    wm::map(wm::fixed, wm::small);
    if (as_text(image::upper_regions(0, 0)) != "220000000000-220000010000 3 0\n")
      return as_text(image::upper_regions(0, 0));
    return image::upper_regions(wm::fixed, wm::fixed + wm::small).size() == 2 ? ""
                                                                              : "the fixed program's part is missing";
  }) == "");
}

}  // namespace restore_tests
