// Runs that are longer than what is under way at once: the places of pieces are used again.
#include "../long_run.hpp"
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/files/async_io.hpp>
#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

namespace run_reader_tests {

using namespace mana;
namespace wm = window_memory;

namespace {

constexpr std::size_t payload = (std::size_t{files::async_queue::most_under_way} << 20) * 3 / 2 + 3 * wm::page;

std::uint64_t word(std::size_t i) { return i * 0x9e37'79b9'7f4a'7c15u | 1; }

void write_image(const std::string& path) {
  REQUIRE(in_child([&]() -> std::string {
    wm::map(wm::heap, payload);
    auto* const words = reinterpret_cast<std::uint64_t*>(wm::heap);
    for (std::size_t i = 0; i < payload / 8; ++i) words[i] = word(i);
    image::image_plan plan;
    plan.path = path;
    plan.regions = image::upper_regions(0, 0);
    plan.how = image::parse_packing("none");
    image::write_rank_image(std::move(plan));
    return {};
  }) == "");
}

/// What is in the page cache is read another way.
void forget_pages(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(fsync(fd) == 0);
  REQUIRE(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0);
  close(fd);
}

std::string restored(const std::string& path) {
  forget_pages(path);
  return in_child([&]() -> std::string {
    image::rank_image(path).restore_memory({});
    const auto* const words = reinterpret_cast<const std::uint64_t*>(wm::heap);
    for (std::size_t i = 0; i < payload / 8; ++i)
      if (words[i] != word(i)) return "memory differs at word " + std::to_string(i);
    return {};
  });
}

}  // namespace

TEST_CASE("a run of more pieces than are under way at once is read as it was, and each of them is checked") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  write_image(path);
  CHECK(restored(path) == "");
  for (const std::size_t at : {std::size_t{7} << 20, payload / 2, payload - wm::page}) {
    if (!is_long_run() && at != payload - wm::page) continue;
    const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    char sound = 0;
    REQUIRE(pread(fd, &sound, 1, static_cast<off_t>(at)) == 1);
    const char flipped = static_cast<char>(sound ^ 4);
    REQUIRE(pwrite(fd, &flipped, 1, static_cast<off_t>(at)) == 1);
    CHECK(restored(path).starts_with("threw: " + path));
    REQUIRE(pwrite(fd, &sound, 1, static_cast<off_t>(at)) == 1);
    close(fd);
  }
  CHECK(restored(path) == "");
}

}  // namespace run_reader_tests
