// A file that is given up while it is written: who writes it stops at once, also where a rate would have it wait.
#include "../temporary_directory.hpp"

#include <runtime/files/output_file.hpp>
#include <runtime/image/memory/shared_value.hpp>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <thread>
#include <vector>

namespace given_up_tests {

using namespace mana::files;
using namespace mana::image;

namespace {

constexpr std::uint64_t byte_per_s = 1;      // the second part would be due in weeks

/// out: it was not written, because it was given up
bool is_given_up(const std::string& path, const write_meter& meter) {
  output_file file(path, byte_per_s, &meter);
  const std::vector<char> bytes(4 * output_file::part_bytes, 'x');
  return !file.append(bytes.data(), bytes.size()) && file.failure().error == ECANCELED;
}

}  // namespace

TEST_CASE("by another thread") {
  const temporary_directory directory;
  const std::string path = directory.path() / "file";
  write_meter meter;
  std::thread other([&] {
    while (!std::filesystem::exists(path) || std::filesystem::file_size(path) == 0) std::this_thread::yield();
    meter.give_up();
  });
  CHECK(is_given_up(path, meter));
  other.join();
  CHECK(!std::filesystem::exists(path));
}

TEST_CASE("in a process that was forked off") {
  const temporary_directory directory;
  const std::string path = directory.path() / "file";
  const shared_value<write_meter> meter;
  const pid_t child = fork();
  if (child == 0) _exit(is_given_up(path, *meter) ? 0 : 1);
  while (!std::filesystem::exists(path) || std::filesystem::file_size(path) == 0) std::this_thread::yield();
  meter->give_up();
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("before it is begun, and what is wanted again") {
  const temporary_directory directory;
  write_meter meter;
  meter.give_up();
  CHECK(is_given_up(directory.path() / "file", meter));
  meter.want();
  output_file file(directory.path() / "file", 0, &meter);
  CHECK(file.append("text", 4));
  CHECK(file.finish());
}

}  // namespace given_up_tests
