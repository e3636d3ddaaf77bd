// Private mappings of files: which pages are the program's own, and which files can be mapped again.
#include "held_descriptors.hpp"

#include <runtime/descriptors/files/private_files.hpp>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace descriptors_private_files_tests {

using namespace mana::descriptors;
using namespace mana::descriptors::tests;

namespace {

constexpr std::size_t page = 4096, pages = 6;

struct mapped {
  explicit mapped(int fd) : at(static_cast<char*>(mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0))) {
    REQUIRE(at != MAP_FAILED);
  }
  ~mapped() { munmap(at, pages * page); }
  mapped(const mapped&) = delete;
  mapped& operator=(const mapped&) = delete;
  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(at); }
  char* at;
};

private_mapping mapping_of(const mapped& m, int fd, const std::string& path) {
  struct stat s{};
  fstat(fd, &s);
  return {m.begin(), m.begin() + pages * page, 0, false, key_of(s), path};
}

struct restored {
  restored(const nlohmann::json& rows, std::uintptr_t begin) : objects(nlohmann::json::array(), spare) {
    file = private_file_at(rows, begin, objects, changed);
  }
  ~restored() {
    if (file.fd >= 0) close(file.fd);
  }
  restored(const restored&) = delete;
  restored& operator=(const restored&) = delete;
  spare_numbers spare{nlohmann::json::array()};
  object_maker objects;
  std::vector<std::string> changed;
  mana::image::private_file file;
};

}  // namespace

TEST_CASE("INV-81: of a file that is as it was, pages that were not written to are the file's") {
  held_descriptors held;
  held.write("f", std::string((pages - 1) * page, 'f'));
  const int fd = held.hold(open("f", O_RDWR | O_CLOEXEC));
  const mapped m(fd);
  CHECK(*static_cast<volatile char*>(m.at) == 'f');           // read, and not written to
  m.at[2 * page] = m.at[3 * page] = 'x';
  m.at[4 * page] = 0;
  report said;
  const std::vector<private_mapping> all{mapping_of(m, fd, held.directory() + "/f")};
  const auto rows = describe_private(all, {}, said);
  REQUIRE(rows.size() == 1);
  CHECK(said.take().empty());
  const restored r(rows, m.begin());
  REQUIRE(r.file.fd >= 0);
  REQUIRE(r.file.own.size() == 1);
  CHECK(r.file.own[0].begin == m.begin() + 2 * page);
  CHECK(r.file.own[0].end == m.begin() + 5 * page);
  CHECK(restored(rows, m.begin() + page).file.fd == -1);
  CHECK(restored(nlohmann::json::array(), m.begin()).file.fd == -1);
}

TEST_CASE("a file that was written to since is not mapped again, and is named if the program could write to it") {
  held_descriptors held;
  held.write("f", std::string(pages * page, 'f'));
  const int fd = held.hold(open("f", O_RDWR | O_CLOEXEC));
  const mapped m(fd);
  report said;
  const std::vector<private_mapping> all{mapping_of(m, fd, held.directory() + "/f")};
  const std::vector<owned_descriptor> writers{{fd, 1, -1, false}};
  const auto named = describe_private(all, writers, said), unnamed = describe_private(all, {}, said);
  CHECK(pwrite(fd, "g", 1, 0) == 1);
  const timespec later[2] = {{0, UTIME_OMIT}, {7, 0}};
  CHECK(futimens(fd, later) == 0);
  const restored r(named, m.begin());
  CHECK(r.file.fd == -1);
  REQUIRE(r.changed.size() == 1);
  CHECK(r.changed[0].starts_with(held.directory() + "/f was written to since the checkpoint: the program's private mapping"));
  CHECK(restored(unnamed, m.begin()).changed.empty());
  CHECK(said.take().empty());
}

TEST_CASE("what cannot be mapped again is named at the checkpoint, if the program could write to it") {
  held_descriptors held;
  const int fd = held.hold(open("/dev/zero", O_RDWR | O_CLOEXEC));
  const mapped m(fd);
  report said;
  const std::vector<private_mapping> all{mapping_of(m, fd, "/dev/zero")};
  const std::vector<owned_descriptor> writers{{fd, 1, -1, false}};
  CHECK(describe_private(all, writers, said).empty());
  const std::vector<std::string> texts = said.take();
  REQUIRE(texts.size() == 1);
  CHECK(texts[0].starts_with("/dev/zero is mapped privately and open for writing, and cannot be mapped again"));
}

}  // namespace descriptors_private_files_tests
