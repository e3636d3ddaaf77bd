// What of 0 to 2 is the launcher's, when the process has become another program.
#include "../temporary_directory.hpp"

#include <runtime/descriptors/base/standard_files.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>

namespace descriptors_standard_files_tests {

using namespace mana::descriptors;

namespace {

/// Puts another file at a number until its end.
class replaced {
 public:
  replaced(int number, int by) : number_(number), before_(dup(number)) { dup2(by, number); }
  ~replaced() {
    dup2(before_, number_);
    close(before_);
  }
  replaced(const replaced&) = delete;
  replaced& operator=(const replaced&) = delete;

 private:
  int number_, before_;
};

struct two_pipes {
  two_pipes() {
    if (pipe(one.data()) != 0 || pipe(other.data()) != 0) std::abort();
  }
  ~two_pipes() {
    for (const int fd : {one[0], one[1], other[0], other[1]}) close(fd);
  }
  std::array<int, 2> one{}, other{};
};

}  // namespace

TEST_CASE("the launcher's are known again by words, also at other numbers") {
  const two_pipes pipes;
  const replaced input(0, pipes.one[0]), output(1, pipes.one[1]), errors(2, pipes.other[1]);
  const standard_files launchers = standard_files::parse(standard_files::here().words());
  for (int fd = 0; fd < 3; ++fd) CHECK(launchers.of(fd) == fd);
  const int copy = dup(2);
  CHECK(launchers.of(copy) == 2);
  close(copy);
  const replaced both(2, 1);
  CHECK(launchers.of(2) == 0);      // one pipe: its two ends are one file
}

TEST_CASE("a file that a shell opened is the program's, a pipe stands for the launcher's") {
  const temporary_directory directory;
  const two_pipes pipes;
  const replaced input(0, pipes.one[0]), output(1, pipes.one[1]);
  const standard_files launchers = standard_files::here();
  const int file = open((directory.path() / "log").c_str(), O_RDWR | O_CREAT, 0600);
  {
    const replaced redirected(1, file);
    CHECK(launchers.of(1) == -1);
  }
  {
    const replaced piped(1, pipes.other[1]);
    CHECK(launchers.of(1) == 1);
  }
  const replaced read(0, file);
  CHECK(launchers.of(0) == -1);
  CHECK(standard_files::here().of(0) == -1);      // a file has a place, whoever opened it
  CHECK(launchers.of(file) == -1);
  close(file);
}

TEST_CASE("INV-86: another pipe for input is the program's, and the launcher's is known at any number") {
  const two_pipes pipes;
  const replaced input(0, pipes.one[0]);
  const standard_files launchers = standard_files::here();
  CHECK(launchers.is_input(0));
  const int kept = dup(0);
  {
    const replaced piped(0, pipes.other[0]);
    CHECK(launchers.of(0) == -1);
    CHECK_FALSE(launchers.is_input(0));
    CHECK(launchers.of(kept) == 0);
    CHECK(launchers.is_input(kept));
  }
  close(kept);
}

TEST_CASE("words that are none are those of a process without files") {
  const standard_files none = standard_files::parse("x,,9");
  CHECK(none.words() == "-,-,-");
}

}  // namespace descriptors_standard_files_tests
