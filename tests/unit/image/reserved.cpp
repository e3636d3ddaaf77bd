// INV-84: restored memory is accounted where it was, by what the kernel's list says of it.
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/read/reserved_mapping.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

#include <fstream>

#include <sys/sysinfo.h>

namespace reserved_tests {

using namespace mana;
namespace wm = window_memory;

namespace {

constexpr int anonymous = MAP_PRIVATE | MAP_ANONYMOUS, both = PROT_READ | PROT_WRITE;
constexpr std::uintptr_t large = wm::heap + (1ul << 40), closed = wm::heap + (4ul << 40);
constexpr std::size_t gib = std::size_t{1} << 30;

/// Of the mapping at this address.
bool has_flag(std::uintptr_t at, const std::string& flag) {
  std::ifstream smaps("/proc/self/smaps");
  unsigned long begin = 0, end = 0;
  for (std::string line; std::getline(smaps, line);) {
    std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end);
    const bool is_there = line.starts_with("VmFlags:") && begin <= at && at < end;
    if (is_there) return (line + " ").find(" " + flag + " ") != std::string::npos;
  }
  return false;
}

/// Where the kernel promises no more in one call than there is.
bool is_overcommit_guessed() {
  int mode = -1;
  std::ifstream("/proc/sys/vm/overcommit_memory") >> mode;
  return mode == 0;
}

std::size_t more_than_there_is() {
  struct sysinfo about{};
  sysinfo(&about);
  const std::size_t all = (about.totalram + about.totalswap) * std::size_t{about.mem_unit};
  return (all / gib + 2) * gib;
}

void write_image(const std::string& path, const std::function<void()>& make) {
  CHECK(in_child([&]() -> std::string {
    make();
    image::image_plan plan;
    plan.path = path;
    plan.regions = image::upper_regions(0, 0);
    plan.how = image::parse_packing("none");
    image::write_rank_image(std::move(plan));
    return {};
  }) == "");
}

/// What is unreserved is at wm::sparse alone.
image::memory_visitor visitor_of(std::size_t& refused) {
  image::memory_visitor visitor;
  visitor.is_unreserved = [](const image::region& r) { return r.begin == wm::sparse; };
  visitor.not_reserved = [&refused](const image::region& r) { refused += r.end - r.begin; };
  return visitor;
}

void make_some() {
  wm::map(wm::heap, wm::heap_bytes, both, anonymous);
  wm::fill(wm::heap, wm::heap_bytes, 1);
  wm::map(wm::sparse, gib);
  wm::fill(wm::sparse, wm::small, 2);
  wm::map(wm::code, 64 * wm::page, both, anonymous);
  wm::fill(wm::code, 64 * wm::page, 3);
  wm::protect(wm::code, 64 * wm::page, PROT_READ | PROT_EXEC);
  wm::map(closed, more_than_there_is(), PROT_NONE, anonymous);
  wm::map(wm::shared, wm::small, both, MAP_SHARED | MAP_ANONYMOUS);
}

/// out: "" or what is not as it was
std::string wrong_flags() {
  std::string wrong;
  const auto expect = [&](std::uintptr_t at, const char* what, bool accounted, bool unreserved) {
    if (has_flag(at, "ac") != accounted) wrong += std::string(what) + (accounted ? " is not" : " is") + " accounted; ";
    if (has_flag(at, "nr") != unreserved) wrong += std::string(what) + (unreserved ? " is" : " is not") + " reserved; ";
  };
  expect(wm::heap, "the heap", true, false);
  expect(wm::sparse, "what was not reserved", false, true);
  expect(wm::code, "code that was written", true, false);
  expect(closed, "what is closed", false, false);
  expect(wm::shared, "shared memory", false, false);
  return wrong + wm::difference(wm::heap, wm::heap_bytes, 1) + wm::difference(wm::sparse, wm::small, 2) +
         wm::difference(wm::code, 64 * wm::page, 3);
}

}  // namespace

TEST_CASE("INV-84: memory is accounted as it was, read at once and lazily") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  write_image(path, make_some);
  for (const bool lazy : {false, true})
    CHECK(in_child([&]() -> std::string {
      std::size_t refused = 0;
      image::rank_image own(path);
      if (lazy) own.restore_lazily(visitor_of(refused), {}, [](const image::region&) { return true; });
      else own.restore_memory(visitor_of(refused));
      return refused == 0 ? wrong_flags() : "some was not reserved";
    }) == "");
}

TEST_CASE("INV-84: of what was reserved piece by piece, more than there is altogether is reserved again") {
  if (!is_overcommit_guessed()) return;
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  const std::size_t bytes = more_than_there_is();
  write_image(path, [=] {
    for (std::size_t at = 0; at < bytes; at += gib) wm::map(large + at, gib, both, anonymous);
    *reinterpret_cast<char*>(large + bytes / 2) = 5;
  });
  CHECK(in_child([&]() -> std::string {
    std::size_t refused = 0;
    image::rank_image own(path);
    own.restore_memory(visitor_of(refused));
    if (image::upper_regions(0, 0).size() != 1) return "it is several mappings";
    if (*reinterpret_cast<char*>(large + bytes / 2) != 5) return "it has something else";
    return refused == 0 && has_flag(large, "ac") && !has_flag(large, "nr") ? "" : "it is not reserved";
  }) == "");
}

TEST_CASE("INV-84: what the kernel does not promise is mapped without, and said") {
  if (!is_overcommit_guessed()) return;
  CHECK(in_child([&]() -> std::string {
    const image::wanted_mapping wanted{{large, large + more_than_there_is()}, both, MAP_SHARED | MAP_FIXED_NOREPLACE};
    const image::made_mapping made = image::map_reserved(wanted, false);
    if (made.at != reinterpret_cast<void*>(large)) return "it is not mapped";
    return made.is_refused && has_flag(large, "nr") ? "" : "it is said to be reserved";
  }) == "");
}

}  // namespace reserved_tests
