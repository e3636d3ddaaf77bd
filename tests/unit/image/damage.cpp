// No damage to an image goes unnoticed, and none makes the reader crash.
#include "../long_run.hpp"
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

namespace damage_tests {

using namespace mana;
namespace wm = window_memory;

namespace {

/// An image of a few chunks: compressed, stored as they are, and between them zeros.
std::string sound_image(const temporary_directory& directory) {
  const std::string path = directory.path() / "sound";
  CHECK(in_child([&]() -> std::string {
    wm::make_small();
    wm::protect(wm::heap, wm::page, PROT_READ);
    const std::vector<image::section> sections{{"run", std::vector<std::uint8_t>(300, 7)}};
    image::write_rank_image(path, 0, 2, sections, image::upper_regions(0, 0));
    return {};
  }) == "");
  return read_bytes(path);
}

/// out: "" if an image_error was thrown
template <class Action>
std::string refused(Action&& action) {
  try {
    action();
    return "not noticed";
  } catch (const files::image_error& error) {
    if (error.kind() != files::error_kind::damaged) return std::string("another kind of error: ") + error.what();
    return std::string(error.what()).find("earlier checkpoint") == std::string::npos ? "no remedy is named" : "";
  }
}

void check_refused(const std::string& path) {
  CHECK(refused([&] { image::rank_image(path).verify(); }) == "");
  CHECK(in_child([&] { return refused([&] { image::rank_image(path).restore_memory(); }); }) == "");
}

/// The bytes of the file that no chunk takes: header, tables, trailer.
std::size_t tables_begin(const std::string& bytes) {
  image::trailer end{};
  std::memcpy(&end, bytes.data() + bytes.size() - sizeof end, sizeof end);
  return end.tables_offset;
}

}  // namespace

TEST_CASE("every flipped bit of header, tables and trailer is noticed") {
  const temporary_directory directory;
  const std::string sound = sound_image(directory), path = directory.path() / "sound";
  const int fd = open(path.c_str(), O_RDWR);
  const auto check = [&](std::size_t at, int bit) {
    const char flipped = static_cast<char>(static_cast<unsigned char>(sound[at]) ^ (1u << bit));
    REQUIRE(pwrite(fd, &flipped, 1, static_cast<off_t>(at)) == 1);
    INFO("bit " << bit << " of byte " << at << " of " << sound.size());
    CHECK(refused([&] { image::rank_image(path).verify(); }) == "");
    REQUIRE(pwrite(fd, &sound[at], 1, static_cast<off_t>(at)) == 1);
  };
  for (std::size_t at = 0; at < image::page_bytes; ++at)
    for (int bit = 0; bit < (at < sizeof(image::file_header) ? 8 : 1); ++bit) check(at, bit);
  for (std::size_t at = tables_begin(sound); at < sound.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) check(at, bit);
  close(fd);
}

// A restart looks at tables with the functions that verify() has, of which all bits are tried above: every third byte here, in
// a long run; each of them is a process of its own.
TEST_CASE("flipped bits are noticed by a restart too") {
  const temporary_directory directory;
  const std::string sound = sound_image(directory);
  REQUIRE(sound.size() > 20'000);
  std::uint64_t x = 12345;
  const auto check_position = [&](std::size_t at) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    const auto bit = static_cast<unsigned char>(1u << (x >> 61));
    std::string bytes = sound;
    bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ bit);
    INFO("byte " << at << " of " << sound.size());
    check_refused(directory.write("flipped", bytes));
  };
  const auto every = static_cast<std::size_t>(tried(52, 3)), spread = static_cast<std::size_t>(tried(20, 300));
  for (std::size_t at = 0; at < 200; at += is_long_run() ? 1 : 9) check_position(at);
  for (std::size_t at = tables_begin(sound); at < sound.size(); at += every) check_position(at);
  for (std::size_t i = 0; i < spread; ++i) check_position(sound.size() * i / spread);
}

TEST_CASE("random flips of what chunks hold are noticed") {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  std::filesystem::copy_file((sound_image(directory), directory.path() / "sound"), path);
  const std::string sound = read_bytes(path);
  const int flips = tried(3'000, 100'000);
  const int fd = open(path.c_str(), O_RDWR);
  std::uint64_t x = 54321;
  int unnoticed = 0;
  for (int i = 0; i < flips; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    const std::size_t at = image::page_bytes + (x >> 33) % (tables_begin(sound) - image::page_bytes);
    const char flipped = static_cast<char>(static_cast<unsigned char>(sound[at]) ^ (1u << (x & 7)));
    REQUIRE(pwrite(fd, &flipped, 1, static_cast<off_t>(at)) == 1);
    unnoticed += !refused([&] { image::rank_image(path).verify(); }).empty();
    REQUIRE(pwrite(fd, &sound[at], 1, static_cast<off_t>(at)) == 1);
  }
  close(fd);
  CHECK(unnoticed == 0);
  CHECK(refused([&] { image::rank_image(path).verify(); }) == "not noticed");
}

TEST_CASE("every cut is noticed, and what was added too") {
  const temporary_directory directory;
  const std::string sound = sound_image(directory);
  for (std::size_t i = 0; i < 200; i += is_long_run() ? 1 : 5) {
    const std::size_t length = i < 50 ? i * 13 : i < 100 ? sound.size() - 1 - (i - 50) : sound.size() * i / 200;
    INFO("first " << length << " bytes of " << sound.size());
    check_refused(directory.write("cut", sound.substr(0, length)));
  }
  check_refused(directory.write("longer", sound + "x"));
  check_refused(directory.write("longer", sound + sound));
  check_refused(directory.write("foreign", std::string(100'000, 'x')));
}

TEST_CASE("chunks whose bytes are exchanged are noticed") {
  const temporary_directory directory;
  const std::string sound = sound_image(directory);
  const image::rank_image before(directory.path() / "sound");
  const auto& chunks = before.about().chunks;
  REQUIRE(chunks.size() > 2);
  const auto part = [&](std::size_t i) { return sound.substr(chunks[i].offset, chunks[i].stored_bytes); };
  for (std::size_t i = 1; i < chunks.size(); ++i) {
    std::string bytes = sound;
    const std::size_t n = std::min(chunks[0].stored_bytes, chunks[i].stored_bytes);
    bytes.replace(chunks[0].offset, n, part(i).substr(0, n));
    bytes.replace(chunks[i].offset, n, part(0).substr(0, n));
    if (bytes != sound) check_refused(directory.write("exchanged", bytes));
  }
}

TEST_CASE("a file that is not there is told from one that is damaged") {
  try {
    image::rank_image("/nonexistent/rank-00000.mana");
    FAIL("opened");
  } catch (const files::image_error& error) {
    CHECK(error.kind() == files::error_kind::missing);
    CHECK(std::string(error.what()).find("/nonexistent/rank-00000.mana") == 0);
  }
}

}  // namespace damage_tests
