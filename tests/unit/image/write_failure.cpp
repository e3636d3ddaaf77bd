// A write that fails says why and what to do, leaves no part of a file, and harms neither the program nor a file that
// was there.
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

namespace write_failure_tests {

using namespace mana;
namespace wm = window_memory;

namespace {

/// out: "" if writing fails with an error of the system whose text has `words`, and leaves nothing behind
std::string fails_with(const std::string& path, const std::string& words) {
  try {
    image::write_rank_image(path, 0, 1, {}, image::upper_regions(0, 0));
    return "written";
  } catch (const files::image_error& error) {
    if (error.kind() != files::error_kind::io) return "another kind of error";
    const std::string text = error.what();
    if (text.find(path) != 0 || text.find(words) == std::string::npos) return text;
  }
  return std::filesystem::exists(path) ? "a part of the file is left" : "";
}

constexpr std::size_t large_bytes = 5'000 * wm::page;

void make_large() {
  wm::map(wm::heap, large_bytes);
  wm::fill(wm::heap, large_bytes, 1);
}

}  // namespace

TEST_CASE("a limit on the size of files is met without a signal") {
  const temporary_directory directory;
  for (const rlim_t limit : {rlim_t{0}, rlim_t{50'000}, rlim_t{6u << 20}})
    CHECK(in_child([&]() -> std::string {
      make_large();
      const rlimit limits{limit, limit};
      setrlimit(RLIMIT_FSIZE, &limits);
      const std::string wrong = fails_with(directory.path() / "image", "ulimit -f");
      return wrong.empty() ? wm::difference(wm::heap, large_bytes, 1) : wrong;
    }) == "");
}

TEST_CASE("a full file system") {
  const temporary_directory directory;
  const std::string result = in_child([&]() -> std::string {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", directory.path().c_str(), "tmpfs", 0, "size=5m") != 0)
      return "not permitted";
    make_large();
    return fails_with(directory.path() / "image", "free space there");
  });
  if (result == "not permitted") MESSAGE("left out: file systems cannot be mounted here");
  else CHECK(result == "");
}

TEST_CASE("a file that is there is not touched") {
  const temporary_directory directory;
  const std::string path = directory.write("image", "somebody's");
  CHECK_THROWS_AS(image::write_rank_image(path, 0, 1, {}, {}), files::image_error);
  CHECK(read_bytes(path) == "somebody's");
}

TEST_CASE("a directory that is not there") {
  const temporary_directory directory;
  CHECK(in_child([&]() -> std::string {
    wm::make_small();
    return fails_with(directory.path() / "none" / "image", "cannot be created: No such file or directory");
  }) == "");
}

}  // namespace write_failure_tests
