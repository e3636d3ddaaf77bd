#include <runtime/tools/memory/saved_memory.hpp>

#include <runtime/tools/memory/image_choice.hpp>
#include <runtime/tools/text/failure.hpp>
#include "saved_image.hpp"

#include <doctest/doctest.h>

#include <cstring>

namespace tools_saved_memory_tests {

using namespace mana;
using namespace mana::tools;
namespace wm = window_memory;

TEST_CASE("memory of an image is read by address, over chunks and pages of zeros") {
  const temporary_directory own;
  const saved_image::known_memory memory;
  for (const char* how : {"none", "lz4", "zstd"}) {
    CAPTURE(how);
    const tools::saved_memory saved(saved_image::write(own, how, how));
    std::vector<char> got(saved_image::bytes);
    saved.fetch(wm::heap, got);
    CHECK(std::memcmp(got.data(), saved_image::page_at(0), got.size()) == 0);
    for (const std::size_t at : {std::size_t{1}, image::chunk_bytes - 5, 3 * wm::page - 1, saved_image::bytes - 100}) {
      got.resize(100);
      REQUIRE(saved.read(wm::heap + at, got.data(), got.size()));
      CHECK(std::memcmp(got.data(), saved_image::page_at(0) + at, got.size()) == 0);
    }
    CHECK_FALSE(saved.read(wm::heap + saved_image::bytes - 99, got.data(), got.size()));
    CHECK_FALSE(saved.read(wm::heap - 1, got.data(), 1));
    CHECK_FALSE(saved.read(~std::uintptr_t{0} - 3, got.data(), got.size()));
    CHECK(saved.section("one") != nullptr);
    CHECK(saved.section("two") == nullptr);
  }
}

TEST_CASE("what is read of an image is told once for each chunk") {
  const temporary_directory own;
  const saved_image::known_memory memory;
  std::uint64_t looked = 0, kept = 0;
  const tools::saved_memory saved(saved_image::write(own, "image"), [&looked](std::uint64_t bytes) { looked += bytes; });
  for (const image::chunk_record& c : saved.about().chunks) kept += c.memory_bytes;
  std::vector<char> got(saved_image::bytes);
  saved.fetch(wm::heap, got);
  CHECK(looked == kept);
}

TEST_CASE("what is damaged is not shown as if it were all right") {
  const temporary_directory own;
  const saved_image::known_memory memory;
  const std::string path = saved_image::write(own, "image");
  std::string bytes = read_bytes(path);
  bytes[wm::page + 3] = static_cast<char>(bytes[wm::page + 3] ^ 1);
  own.write("damaged", bytes);
  const tools::saved_memory saved((own.path() / "damaged").string());
  char one = 0;
  CHECK_FALSE(saved.read(wm::heap, &one, 1));
  CHECK_THROWS_AS(saved.chunk(0), files::image_error);
  CHECK_NOTHROW(saved.chunk(1));
  CHECK_THROWS_AS(saved.chunk(0), files::image_error);        // nor the second time
}

TEST_CASE("images are named by themselves, by their checkpoint, or by the directory") {
  const temporary_directory own;
  const saved_image::known_memory memory;
  std::filesystem::create_directories(own.path() / "gen-000003");
  const std::string path = saved_image::write(own, "gen-000003/rank-00005.mana");
  const auto refused = [](const std::string& word, std::optional<std::uint32_t> rank) {
    try {
      choose_images(word, rank);
    } catch (const failure& failed) {
      return failed.code();
    }
    return mana::exit_status::success;
  };
  CHECK(choose_images(path, {}).images[0].rank == 5);
  CHECK(choose_images(path, {}).generation == 3);
  const chosen incomplete = choose_images((own.path() / "gen-000003/").string(), {});
  CHECK_FALSE(incomplete.complete);
  REQUIRE(incomplete.images.size() == 1);
  CHECK(incomplete.images[0].path == path);
  CHECK(refused((own.path() / "gen-000003").string(), 4) == mana::exit_status::checkpoint_missing);
  CHECK(refused(own.path().string(), {}) == mana::exit_status::checkpoint_missing);
  CHECK(refused((own.path() / "none").string(), {}) == mana::exit_status::checkpoint_missing);
}

}  // namespace tools_saved_memory_tests
