// Files without a name: what is kept of them, where, and what is told of them.
#include "held_descriptors.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace descriptors_nameless_tests {

using namespace mana::descriptors;
using namespace mana::descriptors::tests;

namespace {

constexpr std::int64_t mega = 1 << 20;

void put(int fd, std::int64_t at, std::int64_t bytes) {
  const std::string text(static_cast<std::size_t>(bytes), 'x');
  REQUIRE(pwrite(fd, text.data(), text.size(), at) == bytes);
}

int make_deleted(const char* name, int flags = O_RDWR, mode_t mode = 0600) {
  const int fd = open(name, flags | O_CREAT | O_EXCL, mode);
  REQUIRE(fd >= 0);
  REQUIRE(unlink(name) == 0);
  return fd;
}

std::string name_of(int fd) { return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd)); }

}  // namespace

TEST_CASE("INV-75 what a large file without a name has is read later, at addresses that stay") {
  held_descriptors held;
  const int fd = held.hold(make_deleted("scratch"));
  held.hold(make_deleted("other"));
  put(fd, 0, mega);
  put(fd, 1024 * mega, 2 * mega);
  const captured first = held.taken();
  CHECK(first.warnings.empty());
  CHECK(first.bytes.size() < 10000);
  REQUIRE(first.contents.size() == 2);                 // the hole is in neither
  CHECK(first.contents[0].begin >= mana::image::contents_begin);
  CHECK(first.contents[1].begin - first.contents[0].begin == 1024 * mega);
  CHECK(first.contents[1].offset == 1024 * mega);
  CHECK(first.contents[0].path == held.directory() + "/scratch (deleted)");
  put(fd, 1026 * mega, mega);
  const captured second = held.taken();
  REQUIRE(second.contents.size() == 2);
  CHECK(second.contents[0].begin == first.contents[0].begin);
  CHECK(second.contents[1].begin == first.contents[1].begin);
  CHECK(second.contents[1].end - second.contents[1].begin == 3 * mega);
  const mana::image::region in_the_way{first.contents[0].begin, first.contents[0].begin + 4096, 3, false, 0, ""};
  const captured third = capture({}, std::span(&in_the_way, 1));
  REQUIRE(third.contents.size() == 2);
  CHECK(third.contents[0].begin >= in_the_way.end);
}

TEST_CASE("a file without a name for which there are not enough addresses in one piece is kept nevertheless") {
  held_descriptors held;
  const int fd = held.hold(memfd_create("huge", 0));
  const std::int64_t size = std::int64_t{1} << 60;
  REQUIRE(ftruncate(fd, size) == 0);
  put(fd, 0, mega);
  put(fd, size - mega, mega);
  const captured image = held.taken();
  REQUIRE(image.contents.size() == 2);
  CHECK(image.contents[1].begin == image.contents[0].end);
  CHECK(image.contents[1].offset == static_cast<std::uint64_t>(size - mega));
}

TEST_CASE("record locks on a file without a name outlive that it is read") {
  held_descriptors held;
  const int reader = held.hold(make_deleted("both")), writer = held.hold(make_deleted("written", O_WRONLY));
  for (const int fd : {reader, writer}) {
    put(fd, 0, mega);
    struct flock all{};
    all.l_type = F_WRLCK;
    REQUIRE(fcntl(fd, F_SETLK, &all) == 0);
  }
  REQUIRE(lseek(reader, 17, SEEK_SET) == 17);
  { const captured image = held.taken(); }
  CHECK(offset_of(reader) == 17);
  for (const int fd : {reader, writer}) {
    const pid_t child = fork();
    if (child == 0) {
      struct flock all{};
      all.l_type = F_WRLCK;
      _exit(fcntl(fd, F_GETLK, &all) == 0 && all.l_type == F_WRLCK ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
}

TEST_CASE("a deleted file that its owner may not read is read") {
  held_descriptors held;
  const int fd = held.hold(make_deleted("written", O_WRONLY, 0200));
  CHECK(write(fd, "text", 4) == 4);
  const captured image = held.taken();
  CHECK(image.warnings.empty());
  held.close_all();
  restore(image.bytes);
  struct stat s{};
  CHECK(fstat(fd, &s) == 0);
  CHECK(s.st_size == 4);
  CHECK((s.st_mode & 07777) == 0200);
}

TEST_CASE("a deleted file has its mode, times, attributes and name again") {
  held_descriptors held;
  const int fd = held.hold(make_deleted("a log")), same = held.hold_duplicate(fd);
  const int taken = held.hold(make_deleted("taken"));
  held.write("taken", "another file");
  CHECK(write(fd, "text", 4) == 4);
  const bool has_attributes = fsetxattr(fd, "user.kind", "log", 3, 0) == 0;
  CHECK(fchmod(fd, 0741) == 0);
  const timespec then[2] = {{1000, 5}, {2000, 500}};
  CHECK(futimens(fd, then) == 0);
  const captured image = held.taken();
  CHECK(image.warnings.empty());
  held.close_all();
  restore(image.bytes);
  struct stat s{};
  CHECK(fstat(same, &s) == 0);
  CHECK((s.st_mode & 07777) == 0741);
  CHECK(s.st_nlink == 0);
  CHECK(s.st_atim.tv_sec == 1000);
  CHECK(s.st_mtim.tv_sec == 2000);
  CHECK(s.st_mtim.tv_nsec == 500);
  char value[8] = {};
  CHECK((!has_attributes || (fgetxattr(fd, "user.kind", value, sizeof value) == 3 && std::string(value) == "log")));
  CHECK(name_of(fd) == held.directory() + "/a log (deleted)");
  CHECK(name_of(taken).ends_with("/taken (deleted)"));
  CHECK(read_bytes("taken") == "another file");
  CHECK(std::distance(std::filesystem::directory_iterator(held.directory()), {}) == 1);      // nothing is left behind
}

TEST_CASE("only a file that never had a name can be given one") {
  held_descriptors held;
  const int unnamed = held.hold(open(".", O_RDWR | O_TMPFILE, 0600)), deleted = held.hold(make_deleted("deleted"));
  const captured image = held.taken();
  held.close_all();
  restore(image.bytes);
  const auto link = [](int fd, const char* name) {
    return linkat(AT_FDCWD, ("/proc/self/fd/" + std::to_string(fd)).c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
  };
  CHECK(link(unnamed, "one") == 0);
  CHECK(link(deleted, "two") == -1);
}

TEST_CASE("a memory file can be run: what memfd_create gave is not open for writing") {
  held_descriptors held;
  const int fd = held.hold(memfd_create("tool", MFD_CLOEXEC));
  CHECK(write(fd, "#!/bin/sh\n", 10) == 10);
  CHECK(fchmod(fd, 0700) == 0);
  const captured image = held.taken();
  held.close_all();
  restore(image.bytes);
  const pid_t child = fork();
  if (child == 0) {
    fcntl(fd, F_SETFD, 0);
    char name[] = "tool", *words[] = {name, nullptr}, *none[] = {nullptr};
    fexecve(fd, words, none);
    _exit(1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("where a deleted file cannot be again is said") {
  held_descriptors held;
  REQUIRE(mkdir("sub", 0700) == 0);
  const int fd = held.hold(make_deleted("sub/scratch"));
  CHECK(write(fd, "text", 4) == 4);
  REQUIRE(rmdir("sub") == 0);
  const captured image = held.taken();
  held.close_all();
  restoration all(image.bytes);
  all.fill();
  const std::vector<std::string> otherwise = all.finish();
  REQUIRE(otherwise.size() == 1);
  CHECK(otherwise[0].find("/sub/scratch") != std::string::npos);
  CHECK(otherwise[0].find("cannot be made again where it was, and is in ") != std::string::npos);
  CHECK(lseek(fd, 0, SEEK_SET) == 0);
  CHECK(read_some(fd) == "text");
}

}  // namespace descriptors_nameless_tests
