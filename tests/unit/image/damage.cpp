// No damage to an image goes unnoticed, and none makes the reader crash.
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <rank_image.hpp>

#include <doctest/doctest.h>

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
  } catch (const image::image_error& error) {
    if (error.kind() != image::error_kind::damaged) return std::string("another kind of error: ") + error.what();
    return std::string(error.what()).find("earlier checkpoint") == std::string::npos ? "no remedy is named" : "";
  }
}

void check_refused(const std::string& path) {
  CHECK(refused([&] { image::rank_image(path).verify(); }) == "");
  CHECK(in_child([&] { return refused([&] { image::rank_image(path).restore_memory(); }); }) == "");
}

}  // namespace

TEST_CASE("every flipped bit is noticed") {
  const temporary_directory directory;
  const std::string sound = sound_image(directory);
  REQUIRE(sound.size() > 20'000);
  const std::size_t dense = 700;                       // header, tables and the first chunk's header
  std::uint64_t x = 12345;
  const auto check_position = [&](std::size_t at) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    const auto bit = static_cast<unsigned char>(1u << (x >> 61));
    std::string bytes = sound;
    bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ bit);
    INFO("byte " << at << " of " << sound.size());
    check_refused(directory.write("flipped", bytes));
  };
  for (std::size_t at = 0; at < dense; ++at) check_position(at);
  for (std::size_t at = sound.size() - 64; at < sound.size(); ++at) check_position(at);
  for (std::size_t i = 0; i < 300; ++i) check_position(dense + (sound.size() - dense) * i / 300);
}

TEST_CASE("every cut is noticed, and what was added too") {
  const temporary_directory directory;
  const std::string sound = sound_image(directory);
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t length = i < 50 ? i * 13 : i < 100 ? sound.size() - 1 - (i - 50) : sound.size() * i / 200;
    INFO("first " << length << " bytes of " << sound.size());
    check_refused(directory.write("cut", sound.substr(0, length)));
  }
  check_refused(directory.write("longer", sound + "x"));
  check_refused(directory.write("foreign", std::string(100'000, 'x')));
}

TEST_CASE("chunks that are left out or exchanged are noticed") {
  const temporary_directory directory;
  const std::string sound = sound_image(directory);
  const auto value = [&]<class T>(std::size_t at, T) {
    T v{};
    std::memcpy(&v, sound.data() + at, sizeof v);
    return v;
  };
  const auto header = value(0, image::file_header{});
  const std::size_t first = sizeof header + header.tables_bytes;
  const std::size_t second = first + sizeof(image::chunk_header) + value(first, image::chunk_header{}).stored_bytes;
  const std::size_t third = second + sizeof(image::chunk_header) + value(second, image::chunk_header{}).stored_bytes;
  REQUIRE(third < sound.size());
  check_refused(directory.write("without", sound.substr(0, first) + sound.substr(second)));
  check_refused(directory.write("twice", sound.substr(0, second) + sound.substr(first)));
  check_refused(directory.write("exchanged", sound.substr(0, first) + sound.substr(second, third - second) +
                                                 sound.substr(first, second - first) + sound.substr(third)));
}

TEST_CASE("a file that is not there is told from one that is damaged") {
  try {
    image::rank_image("/nonexistent/rank-00000.mana");
    FAIL("opened");
  } catch (const image::image_error& error) {
    CHECK(error.kind() == image::error_kind::missing);
    CHECK(std::string(error.what()).find("/nonexistent/rank-00000.mana") == 0);
  }
}
