// Memory of files without a name: one object in descriptors and mappings.
#include "held_descriptors.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace descriptors_shared_tests {

using namespace mana::descriptors;
using namespace mana::descriptors::tests;

namespace {

shared_mapping as_mapped(std::uintptr_t begin, std::uint64_t offset, int fd, const std::string& path) {
  struct stat s{};
  fstat(fd, &s);
  return {begin, begin + 4096, offset, key_of(s), path};
}

}  // namespace

TEST_CASE("what is mapped of an object is left to the image, the rest is kept with its length, mode and seals") {
  held_descriptors held;
  const int fd = held.hold(memfd_create("scratch", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  CHECK(pwrite(fd, "mapped", 6, 0) == 6);
  CHECK(pwrite(fd, "other", 5, 4096) == 5);
  CHECK(ftruncate(fd, 1 << 30) == 0);               // a hole counts nothing
  CHECK(fchmod(fd, 0640) == 0);
  CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
  const shared_mapping mapped[] = {as_mapped(0x10000, 0, fd, "/memfd:scratch (deleted)")};
  const captured image = held.taken(mapped);
  CHECK(image.warnings.empty());
  held.close_all();
  {
    restoration both(image.bytes);
    both.fill();
    const int object = both.mapped_at(0x10000);
    REQUIRE(object >= 0);
    CHECK(both.mapped_at(0x20000) == -1);
    CHECK(pwrite(object, "MAPPED", 6, 0) == 6);     // as the image's memory does
    both.finish();
  }
  char found[8] = {};
  CHECK(pread(fd, found, 6, 0) == 6);
  CHECK(std::string(found) == "MAPPED");
  CHECK(pread(fd, found, 5, 4096) == 5);
  CHECK(std::string(found) == "otherD");
  struct stat s{};
  fstat(fd, &s);
  CHECK(s.st_size == 1 << 30);
  CHECK((s.st_mode & 07777) == 0640);
  CHECK(fcntl(fd, F_GET_SEALS) == F_SEAL_SHRINK);
}

TEST_CASE("memory that is mapped twice, or may be another process's too, is one object also without a descriptor") {
  held_descriptors held;
  const int one = memfd_create("one", MFD_CLOEXEC), two = memfd_create("two", MFD_CLOEXEC),
            three = memfd_create("three", MFD_CLOEXEC);
  const shared_mapping mapped[] = {as_mapped(0x10000, 0, one, "/dev/zero (deleted)"),
                                   as_mapped(0x20000, 4096, one, "/dev/zero (deleted)"),
                                   as_mapped(0x30000, 0, two, "/had/a/name (deleted)"),
                                   as_mapped(0x40000, 0, three, "/dev/zero (deleted)")};
  const captured image = held.taken(mapped);
  REQUIRE(image.warnings.size() == 1);
  CHECK(image.warnings[0].find("/had/a/name") != std::string::npos);
  close(one);
  close(two);
  close(three);
  restoration both(image.bytes);
  const int object = both.mapped_at(0x10000);
  REQUIRE(object >= 0);
  CHECK(both.mapped_at(0x20000) == object);
  CHECK(both.mapped_at(0x30000) >= 0);
  CHECK(both.mapped_at(0x40000) == -1);              // nobody else can have it
  struct stat s{};
  fstat(object, &s);
  CHECK(s.st_size == 8192);
}

TEST_CASE("an object of another process may stand for one, as long as the longest of them") {
  held_descriptors held;
  const int fd = held.hold(memfd_create("both", MFD_CLOEXEC));
  CHECK(pwrite(fd, "text", 4, 0) == 4);
  const shared_mapping mapped[] = {as_mapped(0x10000, 0, fd, "/memfd:both (deleted)")};
  const captured image = held.taken(mapped);
  const file_key key = mapped[0].file;
  held.close_all();
  const int others = memfd_create("others", MFD_CLOEXEC);
  {
    restoration all(image.bytes);
    CHECK(all.machine() == name_of_machine());
    const auto objects = all.shared();
    REQUIRE(objects.size() == 1);
    CHECK(objects[0].key == key);
    CHECK(objects[0].size == 4);
    CHECK(objects[0].described);
    all.replace(key, others, 6);
    all.fill();
    CHECK(pwrite(all.mapped_at(0x10000), "TEXT", 4, 0) == 4);
    all.finish();
  }
  struct stat here{}, there{};
  CHECK(fstat(fd, &here) == 0);
  CHECK(fstat(others, &there) == 0);
  CHECK(key_of(here) == key_of(there));
  CHECK(here.st_size == 6);
  close(others);
}

}  // namespace descriptors_shared_tests
