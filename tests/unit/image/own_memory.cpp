// Memory of which reading all would kill the process, or make what is not there.
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <filesystem>

namespace own_memory_tests {

using namespace mana;
namespace fs = std::filesystem;
namespace wm = window_memory;

namespace {

constexpr int guard_install = 102;           // MADV_GUARD_INSTALL, Linux 6.13
constexpr std::size_t sparse_bytes = 512 * wm::page;

void write_image(const std::string& path) { image::write_rank_image(path, 0, 1, {}, image::upper_regions(0, 0)); }

/// out: whether the machine has any; then holes are not known
bool has_swap() {
  struct sysinfo machine{};
  return sysinfo(&machine) != 0 || machine.totalswap != 0;
}

std::size_t bytes_taken(int fd) {
  struct stat about{};
  return fstat(fd, &about) == 0 ? static_cast<std::size_t>(about.st_blocks) * 512 : 0;
}

void write_pages(std::uintptr_t begin) {
  wm::fill(begin, wm::page, 3);
  wm::fill(begin + 200 * wm::page, 4 * wm::page, 4);
}
std::string difference_of_pages(std::uintptr_t begin) {
  for (std::size_t i = wm::page; i < 200 * wm::page; ++i)
    if (reinterpret_cast<const char*>(begin)[i] != 0) return "a hole is none";
  return wm::difference(begin, wm::page, 3) + wm::difference(begin + 200 * wm::page, 4 * wm::page, 4);
}

}  // namespace

TEST_CASE("guards that the program has installed are not read, and what is beside them is saved") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  const std::string wrote = in_child([&]() -> std::string {
    wm::make_small();
    if (madvise(reinterpret_cast<void*>(wm::heap + 5 * wm::page), wm::page, guard_install) != 0) return "no guards";
    write_image(path);
    return {};
  });
  if (wrote == "no guards") return;          // Linux before 6.13
  REQUIRE(wrote == "");
  CHECK(in_child([&]() -> std::string {
    image::rank_image(path).restore_memory();
    const std::string difference = wm::difference(wm::heap, 5 * wm::page, 1);
    wm::fill(wm::heap, wm::small, 1);        // the same again: what the rest is compared with
    return difference + wm::difference_small();
  }) == "");
}

TEST_CASE("a guard that is called unwritten takes nothing from the image before") {
  const temporary_directory directory;
  const auto path_of = [&](int generation) {
    const fs::path place = directory.path() / ("gen-00000" + std::to_string(generation));
    fs::create_directory(place);
    return (place / "rank-00000.mana").string();
  };
  const std::uintptr_t guarded = wm::heap + 5 * wm::page;
  CHECK(in_child([&]() -> std::string {
    wm::make_small();
    write_image(path_of(1));
    if (madvise(reinterpret_cast<void*>(guarded), wm::page, guard_install) != 0) return {};      // Linux before 6.13
    const image::base_image base = image::as_base(image::rank_image(path_of(1)).about(), 1, "rank-00000.mana");
    image::image_plan plan;
    plan.path = path_of(2);
    plan.regions = image::upper_regions(0, 0);
    plan.base = &base;
    plan.unwritten = {{wm::heap, wm::heap + wm::small}};
    image::write_rank_image(std::move(plan));
    const image::rank_image changes(path_of(2));
    for (const image::chunk_record& c : changes.about().chunks)
      if (c.address <= guarded && guarded < c.address + c.memory_bytes) return "it has the guard's page";
    return {};
  }) == "");
}

TEST_CASE("shared memory stays as sparse as it is when its image is written") {
  if (has_swap()) return;
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  CHECK(in_child([&]() -> std::string {
    const int fd = memfd_create("sparse", MFD_CLOEXEC);
    if (ftruncate(fd, sparse_bytes) != 0) return "no memfd";
    wm::map(wm::shared, sparse_bytes + 16 * wm::page, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
    wm::map(wm::library, sparse_bytes, PROT_READ, MAP_PRIVATE, fd);
    wm::map(wm::hidden, sparse_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
    write_pages(wm::shared);
    write_pages(wm::hidden);
    write_image(path);
    std::size_t there = 0;
    unsigned char known[sparse_bytes / wm::page];
    if (mincore(reinterpret_cast<void*>(wm::hidden), sparse_bytes, known) != 0) return "no mincore";
    for (const unsigned char page : known) there += page & 1u;
    if (there != 5) return std::to_string(there) + " pages of anonymous memory";
    return bytes_taken(fd) == 5 * wm::page ? "" : std::to_string(bytes_taken(fd)) + " bytes of the memfd";
  }) == "");
  CHECK(in_child([&]() -> std::string {
    image::rank_image(path).restore_memory();
    return difference_of_pages(wm::shared) + difference_of_pages(wm::library) + difference_of_pages(wm::hidden);
  }) == "");
}

TEST_CASE("a sparse file in memory that a restart maps again gets its holes back, whatever it holds by then") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  const fs::path file = fs::path("/dev/shm") / ("mana-sparse-" + std::to_string(getpid()));
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  REQUIRE(fd >= 0);
  REQUIRE(ftruncate(fd, sparse_bytes) == 0);
  CHECK(in_child([&]() -> std::string {
    wm::map(wm::shared, sparse_bytes + 16 * wm::page, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
    write_pages(wm::shared);
    write_image(path);
    if (!has_swap() && bytes_taken(fd) != 5 * wm::page) return std::to_string(bytes_taken(fd)) + " bytes of the file";
    std::memset(reinterpret_cast<void*>(wm::shared), 1, sparse_bytes);
    return "";
  }) == "");
  CHECK(in_child([&]() -> std::string {
    image::rank_image(path).restore_memory();
    return difference_of_pages(wm::shared);
  }) == "");
  close(fd);
  fs::remove(file);
}

TEST_CASE("memory that is there and cannot be read is named") {
  const temporary_directory directory;
  class unreadable final : public image::page_source {
   public:
    bool open() noexcept override { return true; }
    int find_touched(const image::region&, std::uintptr_t, std::size_t pages, bool* touched) noexcept override {
      std::fill_n(touched, pages, true);
      return 1;
    }
    bool copy(const image::region&, std::uintptr_t, std::size_t, bool*, char*) noexcept override {
      errno = EIO;
      return false;
    }
  } memory;
  image::image_plan plan;
  plan.path = directory.path() / "image";
  plan.regions = {{0x2200'0000'0000, 0x2200'0001'0000, PROT_READ, false, 0, {}}};
  plan.pages = &memory;
  CHECK_THROWS_WITH_AS(image::write_rank_image(std::move(plan)),
                       doctest::Contains("the program's memory at 220000000000-220000010000 cannot be read"), files::image_error);
}

}  // namespace own_memory_tests
