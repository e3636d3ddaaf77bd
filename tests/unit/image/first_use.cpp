// Memory that is read gets huge pages where the image holds all of one, and no page where it holds none.
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

namespace first_use_tests {

using namespace mana;
namespace wm = window_memory;

namespace {

constexpr std::size_t huge = image::first_use::huge_bytes, all_bytes = 8 * huge, hole = 5 * huge + 17 * wm::page;
// The mapping ends within a huge page at both ends, and its hole of one page is in the sixth of the seven that it has whole.
constexpr std::uintptr_t all = wm::heap + huge - 3 * wm::page;
constexpr std::size_t whole_bytes = 7 * huge;

std::uint64_t word(std::uintptr_t at) { return at * 0x9e37'79b9'7f4a'7c15u | 1; }
bool is_hole(std::uintptr_t at) { return at - all >= hole && at - all < hole + wm::page; }

void write_image(const std::string& path, const char* packing) {
  CHECK(in_child([&]() -> std::string {
    wm::map(all, all_bytes);
    madvise(reinterpret_cast<void*>(all), all_bytes, MADV_NOHUGEPAGE);
    for (std::uintptr_t at = all; at < all + all_bytes; at += 8)
      if (!is_hole(at)) *reinterpret_cast<std::uint64_t*>(at) = word(at);
    image::image_plan plan;
    plan.path = path;
    plan.regions = image::upper_regions(0, 0);
    plan.how = image::parse_packing(packing);
    image::write_rank_image(std::move(plan));
    return {};
  }) == "");
}

std::string wrong_memory() {
  for (std::uintptr_t at = all; at < all + all_bytes; at += 8)
    if (*reinterpret_cast<const std::uint64_t*>(at) != (is_hole(at) ? 0 : word(at))) return "memory differs";
  return {};
}

struct sizes { std::size_t resident = 0, huge = 0; };

/// Of the mappings within the memory.
sizes sizes_here() {
  std::ifstream in("/proc/self/smaps");
  sizes found;
  bool is_ours = false;
  for (std::string line; std::getline(in, line);) {
    std::uintptr_t begin = 0, end = 0;
    std::size_t kib = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) is_ours = begin >= all && end <= all + all_bytes;
    else if (is_ours && std::sscanf(line.c_str(), "Rss: %zu", &kib) == 1) found.resident += kib << 10;
    else if (is_ours && std::sscanf(line.c_str(), "AnonHugePages: %zu", &kib) == 1) found.huge += kib << 10;
  }
  return found;
}

std::string choice_of_system() {
  std::string choice;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), choice);
  return choice;
}

/// By the call that restores use: what this machine gives.
bool has_huge_pages() {
  const std::string choice = choice_of_system();
  if (choice.empty() || choice.find("[never]") != std::string::npos) return false;
  void* const at = mmap(nullptr, 2 * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(at) + huge - 1) / huge * huge;
  *reinterpret_cast<volatile char*>(first) = 0;
  constexpr int collapse = 25;
  const bool given = madvise(reinterpret_cast<void*>(first), huge, collapse) == 0;
  munmap(at, 2 * huge);
  return given;
}

std::string restored(const std::string& path, std::size_t expected_huge, const image::memory_visitor& visitor = {}) {
  return in_child([&]() -> std::string {
    image::rank_image(path).restore_memory(visitor);
    const sizes found = sizes_here();
    std::ostringstream said;
    // Where the system gives huge pages to all, the first use of a part is that of the whole.
    if (expected_huge != 0 && choice_of_system().find("[always]") != std::string::npos) return wrong_memory();
    if (found.resident != all_bytes - wm::page) said << "resident " << found.resident << "; ";
    if (found.huge != expected_huge) said << "huge " << found.huge << "; ";
    return said.str() + wrong_memory();
  });
}

}  // namespace

TEST_CASE("INV-59 a restart asks for no page that the image does not hold, and for huge ones where it holds all of one") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  const bool has = has_huge_pages();
  if (!has) MESSAGE("this machine gives no huge pages: only small ones are tried");
  for (const char* packing : {"none", "lz4"}) {
    write_image(path, packing);
    CHECK(restored(path, has ? whole_bytes - huge : 0) == "");
    std::filesystem::remove(path);
  }
}

TEST_CASE("memory that was advised to do without huge pages does without them when it is restored") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  write_image(path, "none");
  image::memory_visitor visitor;
  visitor.begin = [] { madvise(reinterpret_cast<void*>(all), all_bytes, MADV_NOHUGEPAGE); };
  CHECK(restored(path, 0, visitor) == "");
}

}  // namespace first_use_tests
