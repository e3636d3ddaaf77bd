// The kernel's queue of transfers: kept for who needs one next, by the process that made it.
#include "../temporary_directory.hpp"
#include "in_child.hpp"

#include <runtime/files/async_io.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace async_io_tests {

using mana::files::async_queue;

namespace {

/// The kernel shows each of the process's queues as a mapping.
int queues() {
  std::ifstream maps("/proc/self/maps");
  int found = 0;
  for (std::string line; std::getline(maps, line);) found += line.find("[aio]") != std::string::npos;
  return found;
}

/// out: what is wrong
std::string write_page(async_queue& queue, const std::string& path) {
  const int fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  char page[4096] = "written";
  const bool given = queue.write({fd, page, sizeof page, 0, 7});
  io_event done{};
  const bool well = given && queue.await(&done, 1) == 1 && done.data == 7 && done.res == sizeof page;
  close(fd);
  return well ? "" : "not written; ";
}

}  // namespace

TEST_CASE("a process keeps one queue, and uses it again") {
  const temporary_directory d;
  CHECK(in_child([&]() -> std::string {
          const int before = queues();
          for (int i = 0; i < 3; ++i) {
            async_queue queue;
            if (!queue.open()) return "no queue";
            if (const std::string wrong = write_page(queue, d.path() / "file"); !wrong.empty()) return wrong;
          }
          if (queues() != before + 1) return std::to_string(queues() - before) + " are kept of one after the other";
          {
            async_queue one, other;
            if (!one.open() || !other.open()) return "no queue";
            if (queues() != before + 2) return "two share one";
          }
          return queues() == before + 1 ? "" : "not one is kept of two";
        }) == "");
}

TEST_CASE("a copy of the process makes a queue of its own") {
  const temporary_directory d;
  CHECK(in_child([&]() -> std::string {
          {
            async_queue queue;
            if (!queue.open()) return "no queue";
          }
          const std::string said = in_child([&]() -> std::string {
            async_queue queue;
            return queue.open() ? write_page(queue, d.path() / "of copy") : "no queue";
          });
          async_queue queue;
          return said + (queue.open() ? write_page(queue, d.path() / "of first") : "no queue");
        }) == "");
}

TEST_CASE("a queue is not kept while something is under way in it") {
  const temporary_directory d;
  CHECK(in_child([&]() -> std::string {
          const int before = queues();
          const int fd = ::open((d.path() / "file").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
          char page[4096] = {};
          async_queue queue;
          if (!queue.open() || !queue.write({fd, page, sizeof page, 0, 0})) return "not begun";
          queue.close();
          return queues() == before ? "" : "it is kept";
        }) == "");
}

}  // namespace async_io_tests
