// What the kernel's list of mappings says.
#include <doctest/doctest.h>

#include <runtime/process_state/children.hpp>
#include <runtime/process_state/mappings.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <sstream>

namespace process_state_mappings_tests {

using namespace mana::process_state;

TEST_CASE("flags of mappings") {
  std::istringstream smaps(
      "200000000000-200000010000 rw-p 00000000 00:00 0 \nSize:                 64 kB\nRss:                  64 kB\n"
      "VmFlags: rd wr mr mw me lo ac hg sl \n"
      "200000010000-200000020000 rw-p 00000000 00:00 0    /a file\nRss:                   4 kB\nVmFlags: rd lo dc wf \n"
      "200000020000-200000021000 rw-p 00000000 00:00 0 \nRss:                   0 kB\nVmFlags: rd wr gd \n"
      "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \nRss:                   4 kB\nVmFlags: rd wr hg \n"
      "f00000000000-f00000001000 ---p 00000000 00:00 0 \nRss:                   0 kB\nVmFlags: mr mw me nr \n");
  const auto all = parse_mappings(smaps, [](std::uint64_t begin, std::uint64_t) { return begin >> 40 != 0x7f; });
  REQUIRE(all.size() == 4);
  CHECK(all[0].begin == 0x200000000000);
  CHECK(all[0].end == 0x200000010000);
  CHECK(all[0].lock == locked_whole);
  CHECK((all[0].sealed && !all[1].sealed));
  CHECK(all[0].advice == std::vector<int>{MADV_HUGEPAGE});
  CHECK(all[1].lock == locked_on_fault);
  CHECK(all[1].advice == std::vector<int>{MADV_DONTFORK, MADV_WIPEONFORK});
  CHECK(all[2].grows);
  CHECK_FALSE(all[3].has_any());
}

TEST_CASE("names of mappings, keys, and memory that may be dropped") {
  std::istringstream smaps(
      "200000000000-200000010000 rw-p 00000000 00:00 0                          [anon:a [long] name]\nRss:                   0 kB\n"
      "ProtectionKey:         0\nVmFlags: rd wr mr mw me \n"
      "200000010000-200000020000 rw-p 00000000 00:00 0 \nRss:                   0 kB\nProtectionKey:         3\nVmFlags: rd wr \n"
      "200000020000-200000021000 rw-p 00000000 00:00 0 \nRss:                   0 kB\nVmFlags: rd wr nr wf dd dp \n"
      "200000021000-200000022000 rw-s 00000000 00:01 7                          [anon_shmem:shared]\nVmFlags: rd wr sh \n"
      "200000022000-200000023000 rw-p 00000000 08:01 7                          /a/[anon:file]\nVmFlags: rd wr \n");
  auto all = parse_mappings(smaps, [](std::uint64_t, std::uint64_t) { return true; });
  REQUIRE(all.size() == 5);
  CHECK(all[0].name == "a [long] name");
  CHECK(all[1].key == 3);
  CHECK_FALSE(all[1].has_any());
  CHECK((all[2].droppable && !all[0].droppable));
  CHECK(all[3].name == "shared");
  CHECK(all[4].name.empty());
  CHECK(take_keys(all) == std::vector<std::string>{"1 mapping has a protection key (pkey_mprotect): after a restart "
                                                   "there are no "
                                                   "keys, and only the protection of mprotect applies"});
  CHECK(all.size() == 4);
  CHECK(take_keys(all).empty());
}

TEST_CASE("guards are found, and put into memory that is mapped anew") {
  constexpr std::size_t page = 4096, bytes = 64 * page;
  constexpr int guard_install = 102;       // MADV_GUARD_INSTALL
  const auto map = [](void* at, int how) {
    return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | how, -1, 0);
  };
  char* const memory = static_cast<char*>(map(nullptr, 0));
  const auto begin = reinterpret_cast<std::uint64_t>(memory);
  std::fill_n(memory, bytes, char{1});
  if (madvise(memory + 5 * page, 2 * page, guard_install) != 0) return;       // Linux before 6.13
  madvise(memory + 9 * page, page, guard_install);
  const auto guards = find_guards(begin, begin + bytes);
  if (guards.empty()) return;              // before 6.15
  REQUIRE(guards.size() == 2);
  CHECK(guards[0].begin == begin + 5 * page);
  CHECK(guards[0].end == begin + 7 * page);
  REQUIRE(map(memory, MAP_FIXED) == memory);
  CHECK(write_mappings(guards).empty());
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  for (const std::size_t i : {5u, 6u, 9u}) CHECK(write(ends[1], memory + i * page, 1) == -1);
  for (const std::size_t i : {4u, 7u, 10u}) CHECK(write(ends[1], memory + i * page, 1) == 1);
  close(ends[0]);
  close(ends[1]);
  munmap(memory, bytes);
}

TEST_CASE("children, alive and ended") {
  CHECK(children().empty());
  const pid_t alive = fork();
  if (alive == 0) {
    pause();
    _exit(0);
  }
  const pid_t ended = fork();
  if (ended == 0) _exit(3);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(ended), &info, WEXITED | WNOWAIT);
  const auto found = children();
  REQUIRE(found.size() == 2);
  CHECK(found[0].pid == alive);
  CHECK_FALSE(found[0].ended);
  CHECK(found[0].command.substr(0, 4) == "unit");
  CHECK(found[1].pid == ended);
  CHECK(found[1].ended);
  these_are_the_mpis({alive});
  CHECK(children_of_program().size() == 1);
  kill(alive, SIGKILL);
  while (waitpid(-1, nullptr, 0) > 0) {}
  CHECK(children().empty());
}

}  // namespace process_state_mappings_tests
