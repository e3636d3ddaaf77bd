// What a lazy restart maps stands there as if it had been read, and is checked afterwards.
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

namespace lazy_tests {

using namespace mana;
namespace wm = window_memory;

namespace {

const mana::files::path_map nowhere;
bool any(const image::region&) { return true; }

std::uint64_t word(std::size_t i) { return i * 0x9e37'79b9'7f4a'7c15u | 1; }
constexpr std::size_t heap_words = wm::heap_bytes / 8, first_zero = 64 * wm::page / 8, after_zeros = 2 * first_zero;

/// Not compressed: a heap with holes of zeros, memory that cannot be written to, and some that is shared.
void write_image(const std::string& path) {
  CHECK(in_child([&]() -> std::string {
    wm::map(wm::heap, wm::heap_bytes);
    auto* const words = reinterpret_cast<std::uint64_t*>(wm::heap);
    for (std::size_t i = 0; i < heap_words; ++i) words[i] = i < first_zero || i >= after_zeros ? word(i) : 0;
    wm::map(wm::code, 64 * wm::page);
    std::memset(reinterpret_cast<void*>(wm::code), 1, 64 * wm::page);
    wm::protect(wm::code, 64 * wm::page, PROT_READ | PROT_EXEC);
    wm::map(wm::shared, wm::small, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
    wm::fill(wm::shared, wm::small, 6);
    image::image_plan plan;
    plan.path = path;
    plan.regions = image::upper_regions(0, 0);
    plan.how = image::parse_packing("none");
    image::write_rank_image(std::move(plan));
    return {};
  }) == "");
}

std::size_t bytes_of(const std::vector<image::page_range>& ranges) {
  std::size_t sum = 0;
  for (const image::page_range& r : ranges) sum += r.end - r.begin;
  return sum;
}

/// out: "" or what differs from what write_image() had
std::string wrong_memory() {
  const std::string wrong = wm::difference(wm::shared, wm::small, 6);
  const auto* const words = reinterpret_cast<const std::uint64_t*>(wm::heap);
  for (std::size_t i = 0; i < heap_words; ++i)
    if (words[i] != (i < first_zero || i >= after_zeros ? word(i) : 0)) return wrong + "the heap differs";
  for (std::size_t i = 0; i < 64 * wm::page; ++i)
    if (reinterpret_cast<const char*>(wm::code)[i] != 1) return wrong + "code differs";
  return wrong;
}

}  // namespace

TEST_CASE("memory that is mapped from an image is what was saved, and its writes do not reach the image") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  write_image(path);
  const std::string before = read_bytes(path);
  CHECK(in_child([&]() -> std::string {
    image::rank_image own(path);
    image::lazy_memory left = own.restore_lazily({}, nowhere, any);
    if (bytes_of(left.mapped) < 100 * wm::page) return "little was mapped";
    if (left.cut.empty()) return "no region is said to be cut";
    if (const std::string wrong = wrong_memory(); !wrong.empty()) return wrong;
    own.check_unread(left);
    std::memset(reinterpret_cast<void*>(wm::heap), 9, wm::page);
    return wrong_memory().empty() ? "a write was lost" : "";
  }) == "");
  CHECK(read_bytes(path) == before);
}

TEST_CASE("regions that must not be lazy are read") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  write_image(path);
  CHECK(in_child([&]() -> std::string {
    image::rank_image own(path);
    const image::lazy_memory left = own.restore_lazily({}, nowhere, [](const image::region& r) { return r.begin != wm::heap; });
    for (const image::page_range& r : left.mapped)
      if (r.begin < wm::heap + wm::heap_bytes) return "the heap was mapped";
    return wrong_memory();
  }) == "");
}

TEST_CASE("damage in what was not read is found afterwards") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  write_image(path);
  std::string bytes = read_bytes(path);
  bytes[40 * wm::page] = static_cast<char>(bytes[40 * wm::page] ^ 4);
  directory.write("image", bytes);
  CHECK(in_child([&]() -> std::string {
    image::rank_image own(path);
    image::lazy_memory left = own.restore_lazily({}, nowhere, any);
    try {
      own.check_unread(left);
    } catch (const files::image_error& error) {
      return error.kind() == files::error_kind::damaged ? "" : error.what();
    }
    return "not noticed";
  }) == "");
}

TEST_CASE("what was mapped is checked though the names of all files are gone") {
  const temporary_directory directory;
  const std::string base = directory.path() / "gen-000001" / "rank-00000.mana";
  const std::string path = directory.path() / "gen-000002" / "rank-00000.mana";
  std::filesystem::create_directory(directory.path() / "gen-000001");
  std::filesystem::create_directory(directory.path() / "gen-000002");
  write_image(base);
  CHECK(in_child([&]() -> std::string {
    image::rank_image(base).restore_memory();
    std::memset(reinterpret_cast<void*>(wm::heap), 5, 20 * wm::page);
    image::base_image before = image::as_base(image::rank_image(base).about(), 1, "rank-00000.mana");
    image::image_plan plan;
    plan.path = path;
    plan.regions = image::upper_regions(0, 0);
    plan.how = image::parse_packing("none");
    plan.base = &before;
    plan.unwritten = {{wm::heap + 20 * wm::page, wm::heap + wm::heap_bytes}};
    image::write_rank_image(std::move(plan));
    return {};
  }) == "");
  CHECK(in_child([&]() -> std::string {
    image::rank_image own(path);
    if (own.about().sources.empty()) return "it needs no other file";
    image::lazy_memory left = own.restore_lazily({}, nowhere, any);
    std::filesystem::remove(base);
    std::filesystem::remove(path);
    own.check_unread(left);
    return {};
  }) == "");
}

TEST_CASE("nothing is mapped from a file system that bars execution") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  const std::string outcome = in_child([&]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", directory.path().c_str(), "tmpfs", MS_NOEXEC, nullptr) != 0)
      return "cannot mount";
    write_image(path);
    image::rank_image own(path);
    const image::lazy_memory left = own.restore_lazily({}, nowhere, any);
    if (!left.mapped.empty() || left.no_execution != path) return "memory was mapped";
    wm::protect(wm::heap, wm::heap_bytes, PROT_READ | PROT_EXEC);
    return wrong_memory();
  });
  if (outcome == "cannot mount") MESSAGE("not tried: this user may not mount");
  else CHECK(outcome == "");
}

namespace {

image::chunk_record stored(std::uintptr_t address, std::uint64_t offset, std::uint32_t bytes, std::uint16_t source = 0) {
  image::chunk_record c{};
  c.address = address;
  c.offset = offset;
  c.memory_bytes = c.unpacked_bytes = c.stored_bytes = bytes;
  c.source = source;
  return c;
}

image::contents two_regions(std::vector<image::chunk_record> chunks) {
  image::contents made;
  made.regions = {{0x10'0000, 0x20'0000, 3, false, 0, ""}, {0x20'0000, 0x30'0000, 3, false, 0, ""}};
  made.chunks = std::move(chunks);
  return made;
}

}  // namespace

TEST_CASE("chunks that follow one another in memory and file are one run, up to the end of their region") {
  const auto runs = image::file_runs(two_regions({stored(0x10'0000, 0x1000, 0x40000), stored(0x14'0000, 0x41000, 0x40000),
                                                  stored(0x1c'0000, 0x91000, 0x40000), stored(0x20'0000, 0xd1000, 0x40000),
                                                  stored(0x24'0000, 0x111000, 0x40000, 1), stored(0x28'0000, 0, 0x1000)}),
                                     any);
  REQUIRE(runs.size() == 4);
  CHECK(runs[0].memory.end == 0x18'0000);
  CHECK(runs[1].offset == 0x91000);
  CHECK(runs[2].memory.begin == 0x20'0000);
  CHECK(runs[3].source == 1);
}

TEST_CASE("of too many runs the great ones are mapped") {
  const auto image = two_regions({stored(0x10'0000, 0x1000, 0x10000), stored(0x12'0000, 0x41000, 0x10000),
                                  stored(0x14'0000, 0x91000, 0x40000), stored(0x20'0000, 0xf1000, 0x10000)});
  CHECK(image::file_runs(image, any).size() == 4);
  CHECK(image::file_runs(image, any, 3).size() == 1);
}

TEST_CASE("compressed chunks are in no run") {
  auto image = two_regions({stored(0x10'0000, 0x1000, 0x40000)});
  image.chunks[0].codec = static_cast<std::uint8_t>(image::codec::lz4);
  CHECK(image::file_runs(image, any).empty());
}

}  // namespace lazy_tests
