// An image restores what it was written from, in another process; damage anywhere is found, and never crashes.
#include <doctest/doctest.h>

#include <rank_image.hpp>

#include <mana/lower/abi.hpp>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

using namespace mana;
using namespace mana::image;
namespace fs = std::filesystem;

// Frozen: images of this layout exist.
static_assert(format_version == 1 && file_magic == 0x31'4547'414d'4941'4d && offsetof(file_header, checksum) == 88);
static_assert(offsetof(region_record, path_bytes) == 32 && offsetof(chunk_header, checksum) == 16);

namespace {

constexpr std::uintptr_t base = lower::mmap_zone + 0x1000'0000;
constexpr std::size_t page = 4096;

/// Runs in a child of its own, whose window nobody else uses. out: its exit status
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

struct scratch_directory {
  scratch_directory() {
    char name[] = "/tmp/mana-image-XXXXXX";
    path = mkdtemp(name);
  }
  ~scratch_directory() { fs::remove_all(path); }
  std::string path;
};

char* map(std::uintptr_t at, std::size_t bytes) {
  return static_cast<char*>(mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0));
}

/// Random pages, text that packs well, untouched pages between, a read-only region, one without any right.
void make_memory() {
  std::mt19937_64 random(5);
  char* const a = map(base, 600 * page);
  for (std::size_t i = 0; i < 100 * page; i += 8) {
    const std::uint64_t word = random();
    std::memcpy(a + i, &word, 8);
  }
  std::memset(a + 300 * page, 'x', 50 * page);
  char* const b = map(base + (1 << 24), 8 * page);
  std::strcpy(b + page, "read only");
  mprotect(b, 8 * page, PROT_READ);
  char* const c = map(base + (1 << 25), 4 * page);
  std::strcpy(c, "hidden");
  mprotect(c, 4 * page, PROT_NONE);
  map(base + (1 << 26), std::size_t{1} << 30);                // reserved, hardly touched
  *reinterpret_cast<char*>(base + (1 << 26) + (1 << 29)) = 7;
}

int check_memory() {
  std::mt19937_64 random(5);
  const char* const a = reinterpret_cast<const char*>(base);
  for (std::size_t i = 0; i < 100 * page; i += 8) {
    const std::uint64_t word = random();
    if (std::memcmp(a + i, &word, 8) != 0) return 1;
  }
  if (a[200 * page] != 0 || a[300 * page] != 'x' || a[350 * page - 1] != 'x' || a[350 * page] != 0) return 2;
  if (std::strcmp(reinterpret_cast<const char*>(base + (1 << 24) + page), "read only") != 0) return 3;
  mprotect(reinterpret_cast<void*>(base + (1 << 25)), page, PROT_READ);
  if (std::strcmp(reinterpret_cast<const char*>(base + (1 << 25)), "hidden") != 0) return 4;
  return *reinterpret_cast<const char*>(base + (1 << 26) + (1 << 29)) == 7 ? 0 : 5;
}

int write_to(const std::string& path) {
  const std::vector<section> sections{{"run", {1, 2, 3}}, {"empty", {}}};
  try {
    write_rank_image(path, 3, 4, sections, upper_regions(0, 0));
    return 0;
  } catch (const image_error&) {
    return 9;
  }
}

/// Reads an image as a restart does, up to the memory. out: 0 read and sound, 1 damaged, 2 anything else
int try_image(const std::string& path) {
  return in_child([&] {
    try {
      rank_image(path).verify();
      return 0;
    } catch (const image_error& error) {
      return error.kind() == error_kind::damaged || error.kind() == error_kind::version || error.kind() == error_kind::cpu ? 1 : 2;
    }
  });
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_file(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

}  // namespace

TEST_CASE("memory comes back in another process, byte for byte and with its rights") {
  const scratch_directory scratch;
  const std::string path = scratch.path + "/image";
  REQUIRE(in_child([&] { make_memory(); return write_to(path); }) == 0);
  CHECK(fs::file_size(path) < 130 * page);                     // untouched and zero pages are left out
  CHECK((fs::status(path).permissions() & fs::perms::all) == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(try_image(path) == 0);
  CHECK(in_child([&] {
    rank_image image(path);
    if (image.header().rank != 3 || image.section("run").size() != 3 || !image.section("empty").empty()) return 20;
    image.restore_memory();
    for (const region& r : upper_regions(0, 0))
      if (r.begin == base + (1 << 24) && r.protection != PROT_READ) return 21;
    return check_memory();
  }) == 0);
}

TEST_CASE("an image is not restored over memory that is in use") {
  const scratch_directory scratch;
  const std::string path = scratch.path + "/image";
  REQUIRE(in_child([&] { make_memory(); return write_to(path); }) == 0);
  CHECK(in_child([&] {
    map(base + 10 * page, page);
    try {
      rank_image(path).restore_memory();
      return 1;
    } catch (const image_error& error) {
      return error.kind() == error_kind::occupied ? 0 : 2;
    }
  }) == 0);
}

TEST_CASE("INV every flipped bit and every truncation is found") {
  const scratch_directory scratch;
  const std::string path = scratch.path + "/image", bad = scratch.path + "/bad";
  REQUIRE(in_child([&] { make_memory(); return write_to(path); }) == 0);
  const std::string good = read_file(path);
  std::mt19937 random(9);
  for (int i = 0; i < 150; ++i) {
    std::string bytes = good;
    const std::size_t at = i < 100 ? static_cast<std::size_t>(i) * 3 : random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
    write_file(bad, bytes);
    CAPTURE(at);
    CHECK(try_image(bad) == 1);
  }
  for (std::size_t length : {std::size_t{0}, std::size_t{10}, std::size_t{95}, std::size_t{200}, good.size() / 2, good.size() - 1}) {
    write_file(bad, good.substr(0, length));
    CAPTURE(length);
    CHECK(try_image(bad) == 1);
  }
  write_file(bad, good + "x");
  CHECK(try_image(bad) == 1);
}

TEST_CASE("a full disk leaves no part of an image") {
  const scratch_directory scratch;
  const std::string path = scratch.path + "/image";
  CHECK(in_child([&] {
    make_memory();
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    return write_to(path);
  }) == 9);
  CHECK_FALSE(fs::exists(path));
}
