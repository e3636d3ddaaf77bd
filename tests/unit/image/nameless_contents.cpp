// Contents of files without a name: in an image as if they were memory, and in no memory, neither of who writes it nor of who
// restores it.
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace nameless_contents_tests {

using namespace mana;
namespace wm = window_memory;

namespace {

constexpr std::size_t block = 128 * wm::page;
constexpr std::int64_t far = std::int64_t{1} << 30, bytes = far + static_cast<std::int64_t>(block) + 5;

std::string text_of(char seed) {
  std::string text(block, '\0');
  for (std::size_t i = 0; i < block; ++i) text[i] = static_cast<char>((i * 2654435761u >> 13) ^ static_cast<unsigned>(seed));
  return text;
}

int make_file(const std::filesystem::path& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  REQUIRE(fd >= 0);
  return fd;
}

/// Two blocks, far apart, and a few bytes after them.
int make_sparse(const std::filesystem::path& path) {
  const int fd = make_file(path);
  const std::string one = text_of(1), two = text_of(2) + "short";
  REQUIRE(pwrite(fd, one.data(), one.size(), 0) == static_cast<ssize_t>(one.size()));
  REQUIRE(pwrite(fd, two.data(), two.size(), far) == static_cast<ssize_t>(two.size()));
  return fd;
}

image::region region_of(int fd) {
  image::region r{image::contents_begin, image::contents_begin + far + block + wm::page, 0, true, 0, "/gone (deleted)"};
  const auto end = static_cast<std::int64_t>(block);
  r.contents = std::make_shared<const image::file_contents>(fd, false, std::vector<image::file_part>{{0, end}, {far, bytes}});
  return r;
}

image::image_plan plan_of(const std::string& path, int fd) {
  image::image_plan plan;
  plan.path = path;
  plan.regions = {region_of(fd)};
  plan.how = image::parse_packing("lz4");
  plan.sums = true;
  return plan;
}

void restore_into(const std::string& path, int fd) {
  image::rank_image saved(path);
  image::memory_visitor visitor;
  visitor.contents_of = [fd](const image::region&) { return fd; };
  saved.restore_memory(visitor);
}

}  // namespace

TEST_CASE("what a file without a name has is written, its holes cost nothing, and it comes back into another") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  const int from = make_sparse(directory.path() / "from"), to = make_file(directory.path() / "to");
  const image::write_result written = image::write_rank_image(plan_of(path, from));
  CHECK(written.memory_bytes <= 2 * block + wm::page);
  CHECK(written.file_bytes < 3 * block);
  REQUIRE(ftruncate(to, bytes) == 0);
  restore_into(path, to);
  std::string found(block + 5, '\0');
  CHECK(pread(to, found.data(), block, 0) == static_cast<ssize_t>(block));
  CHECK(found.substr(0, block) == text_of(1));
  CHECK(pread(to, found.data(), found.size(), far) == static_cast<ssize_t>(found.size()));
  CHECK(found == text_of(2) + "short");
  struct stat about{};
  REQUIRE(fstat(to, &about) == 0);
  CHECK(about.st_size == bytes);                                    // the last page is not filled up
  CHECK(about.st_blocks * 512 < static_cast<std::int64_t>(4 * block));
  close(from);
  close(to);
}

TEST_CASE("of a file whose addresses are the same again only what has changed is written") {
  const temporary_directory directory;
  const std::string first = directory.path() / "gen-000001", second = directory.path() / "gen-000002";
  std::filesystem::create_directories(first);
  std::filesystem::create_directories(second);
  const int fd = make_sparse(directory.path() / "from");
  image::image_writer writer(plan_of(first + "/rank-00000.mana", fd));
  REQUIRE(writer.write_shared());
  REQUIRE(writer.finish());
  image::base_image base = image::as_base(image::rank_image(first + "/rank-00000.mana").about(), 1, "rank-00000.mana");
  base.sums = writer.take_sums();
  REQUIRE(pwrite(fd, "other", 5, far + 3 * static_cast<std::int64_t>(wm::page)) == 5);
  image::image_plan next = plan_of(second + "/rank-00000.mana", fd);
  next.base = &base;
  const image::write_result written = image::write_rank_image(std::move(next));
  CHECK(written.memory_bytes - written.kept_bytes == wm::page);
  close(fd);
}

TEST_CASE("contents that cannot be read give the image up, by name") {
  const temporary_directory directory;
  const std::filesystem::path file = directory.path() / "from";
  close(make_sparse(file));
  const int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  CHECK_THROWS_WITH_AS(image::write_rank_image(plan_of(directory.path() / "image", fd)),
                       doctest::Contains("the contents of /gone (deleted) cannot be read"), files::image_error);
  close(fd);
}

TEST_CASE("contents for which there is no room are an error that names the file") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  const int from = make_sparse(directory.path() / "from"), to = make_file(directory.path() / "to");
  image::write_rank_image(plan_of(path, from));
  CHECK(in_child([&]() -> std::string {
    signal(SIGXFSZ, SIG_IGN);
    if (ftruncate(to, bytes) != 0) return "no file";
    const rlimit least{wm::page, wm::page};
    setrlimit(RLIMIT_FSIZE, &least);
    try {
      restore_into(path, to);
    } catch (const files::image_error& error) {
      return std::string(error.what()).find("/gone (deleted): the contents") != std::string::npos ? "" : error.what();
    }
    return "nothing was said";
  }) == "");
  close(from);
  close(to);
}

TEST_CASE("a page that is there and cannot be read through its mapping is not taken for one behind the file's end") {
  const temporary_directory directory;
  const int fd = make_file(directory.path() / "short");
  REQUIRE(ftruncate(fd, wm::page) == 0);
  CHECK(in_child([&]() -> std::string {
    wm::map(wm::file, 2 * wm::page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (const bool is_there : {false, true}) {
      image::image_plan plan;
      plan.path = directory.path() / "image";
      plan.regions = {{wm::file, wm::file + 2 * wm::page, PROT_READ | PROT_WRITE, true, 0, "/gone (deleted)"}};
      plan.regions.front().is_file = true;
      plan.regions.front().file_bytes = is_there ? 2 * wm::page : wm::page;
      bool refused = false;
      try {
        image::write_rank_image(std::move(plan));
      } catch (const files::image_error&) {
        refused = true;
      }
      if (refused != is_there) return refused ? "the file's end is no error" : "a page is lost";
      std::filesystem::remove(directory.path() / "image");
    }
    return "";
  }) == "");
  close(fd);
}

}  // namespace nameless_contents_tests
