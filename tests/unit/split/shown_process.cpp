// "INV-73" What the kernel shows of the process is the program's: its arguments, its stack, and the stub as [vdso].
#include <runtime/split/window/shown_process.hpp>

#include <doctest/doctest.h>

#include <elf.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

namespace split_shown_process_tests {

using namespace mana;

namespace {

std::string whole(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The first address of the mapping that the kernel calls so; 0: none.
std::uintptr_t mapped_as(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.ends_with(name)) return std::stoull(line, nullptr, 16);
  return 0;
}

constexpr std::size_t page = 4096;

char* map_at(std::uintptr_t address, std::size_t bytes) {
  void* const at = mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<char*>(at);
}

/// In a process of its own.     out: what is wrong
std::string look() {
  split::set_vdso_aside();
  timespec now{};
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0 || now.tv_sec + now.tv_nsec == 0) return "there is no clock any more";
  if (map_at(lower::bridge_address, lower::threads_address - lower::bridge_address) == nullptr) return "no bridge";
  char* const stub = map_at(lower::stub_address, page);
  if (stub == nullptr) return "no stub";
  std::strcpy(stub, "the stub");
  split::show_stub_as_vdso();
  if (std::strcmp(stub, "the stub") != 0) return "the stub has other contents";
  if (mapped_as("[vdso]") != lower::stub_address) return "[vdso] is not the stub";
  clock_gettime(CLOCK_MONOTONIC, &now);

  char* const stack = map_at(lower::stack_zone, page);
  std::memcpy(stack, "one\0two\0A=b", 12);
  const auto at = reinterpret_cast<std::uintptr_t>(stack);
  const std::uint64_t auxiliary[] = {AT_PHDR, 77, AT_ENTRY, 78, AT_NULL, 0};
  split::show_program({at + 1, at + 2, at + 3, at + 4, at, at, at + 8, at + 8, at + 12}, auxiliary);
  if (!split::kernel_shows_program()) return "the kernel is not told";
  if (whole("/proc/self/cmdline") != std::string("one\0two", 8)) return "cmdline: " + whole("/proc/self/cmdline");
  if (whole("/proc/self/environ") != std::string("A=b", 4)) return "environ";
  if (mapped_as("[stack]") != lower::stack_zone) return "[stack]";
  split::saved().shown.places = {};
  split::note_shown();
  const split::shown_program& noted = split::saved().shown;
  if (noted.places.stack_begin != at || noted.places.data_end != at + 4 || noted.places.environment_end != at + 12 ||
      noted.auxiliary_words != 6 || noted.auxiliary[3] != 78)
    return "what is noted for the image is something else";
  return {};
}

}  // namespace

TEST_CASE("INV-73 the kernel shows what the program is told") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string wrong = look();
    const ssize_t written = write(ends[1], wrong.data(), wrong.size());
    _exit(written == static_cast<ssize_t>(wrong.size()) ? 0 : 1);
  }
  close(ends[1]);
  char text[256] = "";
  CHECK(read(ends[0], text, sizeof text - 1) == 0);
  CHECK(std::string(text) == "");
  close(ends[0]);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace split_shown_process_tests
