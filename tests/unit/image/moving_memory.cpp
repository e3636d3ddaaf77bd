#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

namespace moving_memory_tests {

using namespace mana;
namespace wm = window_memory;

TEST_CASE("INV-21 an image is sound, whatever changed in memory while it was written") {
  const temporary_directory directory;
  CHECK(in_child([&]() -> std::string {
    wm::map(wm::heap, wm::heap_bytes);
    wm::fill(wm::heap, wm::heap_bytes, 1);
    std::atomic<bool> over{false};
    std::thread scribbler([&] {
      auto* const words = reinterpret_cast<volatile std::uint64_t*>(wm::heap);
      for (std::uint64_t x = 1; !over.load(std::memory_order_relaxed);) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        words[(x >> 20) % (wm::heap_bytes / 8)] = x;
      }
    });
    std::string wrong;
    for (int i = 0; i < 5 && wrong.empty(); ++i) {
      const std::string path = directory.path() / ("image" + std::to_string(i));
      image::write_rank_image(path, 0, 1, {}, image::upper_regions(0, 0));
      try {
        image::rank_image(path).verify();
      } catch (const files::image_error& error) {
        wrong = error.what();
      }
    }
    over = true;
    scribbler.join();
    return wrong;
  }) == "");
}

}  // namespace moving_memory_tests
