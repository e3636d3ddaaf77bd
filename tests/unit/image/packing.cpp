#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

namespace packing_tests {

using namespace mana;
namespace wm = window_memory;

namespace {

constexpr std::size_t payload = 8u << 20;     // less than what may be under way to the disk: no disk is too slow

/// One word in `period` is random, the others count.
void fill(std::size_t from, std::size_t to, std::size_t period) {
  auto* const words = reinterpret_cast<std::uint64_t*>(wm::heap);
  std::uint64_t x = 1;
  for (std::size_t i = from / 8; i < to / 8; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    words[i] = i % period == 0 ? x ^ x >> 29 : i / 512;
  }
}

/// out: "" if the image of what `make` leaves is sound and takes between `least` and `most` of the memory
template <class Make>
std::string image_takes(double least, double most, Make make) {
  const temporary_directory directory;
  const std::string path = directory.path() / "image";
  return in_child([&]() -> std::string {
    wm::map(wm::heap, payload);
    make();
    const auto written = image::write_rank_image(path, 0, 1, {}, image::upper_regions(0, 0));
    image::rank_image(path).verify();
    const double share = static_cast<double>(written.stored_bytes) / static_cast<double>(written.memory_bytes);
    return share >= least && share <= most ? "" : std::to_string(share) + " of the memory";
  });
}

}  // namespace

TEST_CASE("memory that packs well is packed") {
  CHECK(image_takes(0.0, 0.3, [] { fill(0, payload, 8); }) == "");
}

TEST_CASE("memory that packs badly is stored as it is, but for a trial now and then") {
  CHECK(image_takes(0.95, 0.999, [] { fill(0, payload, 2); }) == "");
}

TEST_CASE("memory that packs well is found behind memory that does not") {
  CHECK(image_takes(0.4, 0.8, [] {
    fill(0, payload / 2, 1);
    fill(payload / 2, payload, 8);
  }) == "");
}

}  // namespace packing_tests
