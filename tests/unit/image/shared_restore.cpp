// Ranks that share memory put it back at the same time.
#include "../long_run.hpp"
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <vector>

namespace shared_restore_tests {

using namespace mana;
namespace wm = window_memory;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t bytes = 64 * wm::page;

/// What packs well, by matches of all lengths.
void fill(char* at) {
  for (std::size_t i = 0; i < bytes; ++i) at[i] = static_cast<char>(i % (7 + i / 1000) * (i / 5000));
}

std::string restored(const std::string& image) {
  return in_child([&]() -> std::string {
    image::rank_image own(image);
    own.restore_memory();
    return "";
  });
}

}  // namespace

TEST_CASE("INV-43 memory that other processes put back at the same time is only written what belongs there") {
  const temporary_directory directory;
  const fs::path shown = directory.path() / "shared";
  const std::string image = directory.path() / "image";
  std::ofstream(shown) << std::string(bytes, '\0');
  REQUIRE(in_child([&]() -> std::string {
    const int fd = open(shown.c_str(), O_RDWR | O_CLOEXEC);
    wm::map(wm::file, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    fill(reinterpret_cast<char*>(wm::file));
    image::image_plan plan;
    plan.path = image;
    plan.regions = image::upper_regions(0, 0);
    plan.how = image::parse_packing("lz4");
    image::write_rank_image(std::move(plan));
    return "";
  }) == "");
  std::vector<pid_t> ranks;
  for (int rank = 0; rank < 4; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      bool well = true;
      for (int time = 0; time < tried(12, 100) && well; ++time) well = restored(image).empty();
      _exit(well ? 0 : 1);
    }
    ranks.push_back(child);
  }
  for (const pid_t rank : ranks) {
    int status = 0;
    waitpid(rank, &status, 0);
    CHECK(status == 0);
  }
}

}  // namespace shared_restore_tests
