// Files: at the same number, for the same access, at the same place, and shared as they were.
#include "held_descriptors.hpp"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace descriptors_files_tests {

using namespace mana::descriptors;
using namespace mana::descriptors::tests;

TEST_CASE("a file that is read continues where it was") {
  held_descriptors held;
  held.write("data", "0123456789");
  const int fd = held.hold(open("data", O_RDONLY | O_CLOEXEC));
  CHECK(lseek(fd, 4, SEEK_SET) == 4);
  const captured image = held.taken();
  CHECK(image.warnings.empty());
  held.close_all();
  restore(image.bytes);
  CHECK(read_some(fd) == "456789");
  CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
}

TEST_CASE("what was written after the checkpoint is cut off, and names are absolute") {
  held_descriptors held;
  const int fd = held.hold(open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600));
  const int log = held.hold(open("log", O_WRONLY | O_CREAT | O_APPEND, 0600));
  CHECK(write(fd, "before", 6) == 6);
  CHECK(write(log, "line\n", 5) == 5);
  const captured image = held.taken();
  CHECK(write(fd, "after", 5) == 5);
  CHECK(write(log, "later\n", 6) == 6);
  held.close_all();
  CHECK(chdir("/") == 0);
  restore(image.bytes);
  CHECK(chdir(held.directory().c_str()) == 0);
  CHECK(read_bytes("out") == "before");
  CHECK(write(fd, " again", 6) == 6);
  CHECK(write(log, "again\n", 6) == 6);
  CHECK(read_bytes("out") == "before again");
  CHECK(read_bytes("log") == "line\nagain\n");
  CHECK((fcntl(log, F_GETFL) & (O_APPEND | O_ACCMODE)) == (O_APPEND | O_WRONLY));
  CHECK(fcntl(fd, F_GETFD) == 0);
}

TEST_CASE("duplicates share their place, two opens of one file do not") {
  held_descriptors held;
  held.write("data", "0123456789");
  const int one = held.hold(open("data", O_RDWR));
  const int other = held.hold(open("data", O_RDWR));
  const int same = held.hold_duplicate(one);
  CHECK(lseek(one, 2, SEEK_SET) == 2);
  const captured image = held.taken();
  held.close_all();
  restore(image.bytes);
  CHECK(lseek(same, 7, SEEK_SET) == 7);
  CHECK(offset_of(one) == 7);
  CHECK(offset_of(other) == 0);
}

TEST_CASE("a deleted file comes back with its contents, also if another has its name now") {
  held_descriptors held;
  const int fd = held.hold(open("temporary", O_RDWR | O_CREAT | O_EXCL, 0600));
  const int replaced = held.hold(open("replaced", O_WRONLY | O_CREAT, 0600));
  const int unnamed = held.hold(open(".", O_RDWR | O_TMPFILE, 0600));
  for (const int f : {fd, replaced, unnamed}) CHECK(write(f, "contents", 8) == 8);
  CHECK(lseek(fd, 3, SEEK_SET) == 3);
  CHECK(lseek(unnamed, 1, SEEK_SET) == 1);
  CHECK(unlink("temporary") == 0);
  held.write("new", "new file");
  CHECK(rename("new", "replaced") == 0);
  const captured image = held.taken();
  CHECK(image.warnings.empty());
  held.close_all();
  restore(image.bytes);
  CHECK(read_some(fd) == "tents");
  CHECK(read_some(unnamed) == "ontents");
  CHECK(offset_of(replaced) == 8);
  CHECK(read(replaced, nullptr, 0) == -1);   // still for writing only
  CHECK(read_bytes("replaced") == "new file");
}

TEST_CASE("a file that was renamed is found by its new name") {
  held_descriptors held;
  held.write("old", "text");
  const int fd = held.hold(open("old", O_RDONLY));
  CHECK(rename("old", "new") == 0);
  const captured image = held.taken();
  held.close_all();
  restore(image.bytes);
  CHECK(read_some(fd) == "text");
}

TEST_CASE("a file that is gone or shorter is an error that names it") {
  held_descriptors held;
  held.write("data", "0123456789");
  held.hold(open("data", O_RDONLY));
  const captured image = held.taken();
  held.close_all();
  held.write("data", "0123");
  CHECK_THROWS_WITH_AS(restore(image.bytes), doctest::Contains("/data: it has 4 bytes, and had 10"), descriptor_error);
  CHECK(unlink("data") == 0);
  CHECK_THROWS_WITH_AS(restore(image.bytes), doctest::Contains("/data: cannot be opened: No such file"),
                       descriptor_error);
}

TEST_CASE("directories, devices and this process's own entries in /proc") {
  held_descriptors held;
  CHECK(mkdir("sub", 0700) == 0);
  const int directory = held.hold(open("sub", O_RDONLY | O_DIRECTORY));
  const int path = held.hold(open("sub", O_PATH));
  const int zero = held.hold(open("/dev/zero", O_RDONLY));
  const int status = held.hold(open("/proc/self/status", O_RDONLY));
  const captured image = held.taken();
  CHECK(image.warnings.empty());
  held.close_all();
  restore(image.bytes);
  const int inside = openat(directory, "file", O_WRONLY | O_CREAT, 0600);
  CHECK(inside >= 0);
  close(inside);
  CHECK(faccessat(path, "file", F_OK, 0) == 0);
  char byte = 1;
  CHECK(read(zero, &byte, 1) == 1);
  CHECK(byte == 0);
  CHECK(read_some(status).rfind("Name:", 0) == 0);
}

TEST_CASE("locks are taken again, and who is in the way is named") {
  held_descriptors held;
  const int whole = held.hold(open("whole", O_RDWR | O_CREAT, 0600)), part = held.hold(open("part", O_RDWR | O_CREAT, 0600));
  CHECK(flock(whole, LOCK_EX) == 0);
  struct flock ten{};
  ten.l_type = F_WRLCK;
  ten.l_start = 10;
  ten.l_len = 10;
  CHECK(fcntl(part, F_OFD_SETLK, &ten) == 0);
  const captured image = held.taken();
  CHECK(image.warnings.empty());
  held.close_all();
  restore(image.bytes);
  const int other = open("whole", O_RDWR), another = open("part", O_RDWR);
  CHECK(flock(other, LOCK_SH | LOCK_NB) == -1);
  ten.l_start = 19;
  CHECK(fcntl(another, F_OFD_SETLK, &ten) == -1);
  ten.l_start = 20;
  CHECK(fcntl(another, F_OFD_SETLK, &ten) == 0);
  held.close_all();
  CHECK(flock(other, LOCK_SH | LOCK_NB) == 0);
  CHECK_THROWS_WITH_AS(restore(image.bytes), doctest::Contains("/whole: another process has locked it"), descriptor_error);
  close(other);
  close(another);
}

TEST_CASE("the launcher's three are the new launcher's, duplicates and exchanges included") {
  held_descriptors held;
  const int spare = held.hold_duplicate(1);
  const captured image = held.taken();
  held.close_all();
  // The new process has another stdout.
  const int real = dup(1);
  const int other = open("stdout", O_WRONLY | O_CREAT, 0600);
  CHECK(dup2(other, 1) == 1);
  restore(image.bytes);
  const bool written = write(spare, "to the new one", 14) == 14;
  dup2(real, 1);
  close(real);
  close(other);
  CHECK(written);
  CHECK(read_bytes("stdout") == "to the new one");
}

TEST_CASE("the umask is the program's") {
  held_descriptors held;
  const mode_t before = umask(027);
  const captured image = held.taken();
  umask(0);
  restore(image.bytes);
  CHECK(umask(before) == 027);
}

TEST_CASE("files that have moved are found where they are now") {
  held_descriptors held;
  CHECK(mkdir("old", 0700) == 0);
  const int file = held.hold(open("old/data", O_RDWR | O_CREAT, 0600));
  CHECK(write(file, "0123456789", 10) == 10);
  const int directory = held.hold(open("old", O_RDONLY | O_DIRECTORY));
  CHECK(mkfifo("old/fifo", 0600) == 0);
  const int fifo = held.hold(open("old/fifo", O_RDWR));
  const captured image = held.taken();
  held.close_all();
  CHECK(rename("old", "new") == 0);
  mana::files::path_map moved;
  const std::string here = held.directory();
  moved.add(here + "/old=" + here + "/new");
  restore(image.bytes, moved);
  CHECK(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file)) == here + "/new/data");
  CHECK(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(directory)) == here + "/new");
  CHECK(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fifo)) == here + "/new/fifo");
}

}  // namespace descriptors_files_tests
