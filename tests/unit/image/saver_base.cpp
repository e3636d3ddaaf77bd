// What an image of changes builds on: the one before, where that will be when it is needed.
#include "../temporary_directory.hpp"
#include "in_child.hpp"
#include "window_memory.hpp"

#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/save/image_saver.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstring>
#include <filesystem>

namespace saver_base_tests {

using namespace mana;
namespace fs = std::filesystem;
namespace wm = window_memory;
using image::kept_image;

namespace {

struct step {
  bool for_directory;
  kept_image then;                     // what becomes of its checkpoint
  std::vector<std::uint64_t> builds_on;
};

/// Generations 1, 2, … of one rank. out: what is not as it should be
std::string follow(const fs::path& directory, const std::vector<step>& steps, unsigned full_every = 100) {
  return in_child([&]() -> std::string {
    wm::make_small();
    image::saving how;
    how.incremental = true;
    how.full_every = full_every;
    image::image_saver saver(how);
    for (std::uint64_t generation = 1; const step& s : steps) {
      std::memset(reinterpret_cast<char*>(wm::heap + generation * wm::page), static_cast<int>(generation), wm::page);
      const fs::path place = directory / ("gen-00000" + std::to_string(generation));
      fs::create_directory(place);
      image::image_plan plan;
      plan.path = place / "rank-00000.mana";
      plan.regions = image::upper_regions(0, 0);
      plan.for_directory = s.for_directory;
      if (saver.write(std::move(plan), generation).builds_on != s.builds_on)
        return "generation " + std::to_string(generation) + " builds on others";
      saver.settle(s.then);
      ++generation;
    }
    return {};
  });
}

}  // namespace

TEST_CASE("INV-57 an image that goes to the directory of checkpoints builds on none that is on nodes alone") {
  const temporary_directory place;
  CHECK(follow(place.path(), {{true, kept_image::in_directory, {}},
                              {false, kept_image::on_node, {1}},
                              {false, kept_image::on_node, {1, 2}},
                              {true, kept_image::in_directory, {}},
                              {true, kept_image::in_directory, {4}},
                              {false, kept_image::on_node, {4, 5}}}) == "");
}

TEST_CASE("an image whose copy failed is a base on its node, and none for the directory") {
  const temporary_directory place;
  CHECK(follow(place.path(), {{true, kept_image::on_node, {}},
                              {false, kept_image::on_node, {1}},
                              {false, kept_image::nowhere, {1, 2}},
                              {false, kept_image::on_node, {}},
                              {true, kept_image::in_directory, {}}}) == "");
}

TEST_CASE("chains on nodes are as long as others") {
  const temporary_directory place;
  CHECK(follow(place.path(), {{true, kept_image::in_directory, {}},
                              {false, kept_image::on_node, {1}},
                              {false, kept_image::on_node, {}}}, 2) == "");
}

TEST_CASE("copies of the program's files make no chain longer: changes are written after a restart") {
  const temporary_directory place;
  const auto plan_of = [&](std::uint64_t generation) {
    const fs::path folder = place.path() / ("gen-00000" + std::to_string(generation));
    fs::create_directory(folder);
    image::image_plan plan;
    plan.path = folder / "rank-00000.mana";
    plan.regions = image::upper_regions(0, 0);
    return plan;
  };
  CHECK(in_child([&]() -> std::string {
    wm::make_small();
    image::saving how;
    how.incremental = true;
    how.full_every = 2;
    image::image_saver(how).write(plan_of(1), 1);
    image::contents restored = image::rank_image(place.path() / "gen-000001" / "rank-00000.mana").about();
    for (image::chunk_record& c : restored.chunks) {
      if (c.source != 0) return "the image is not whole";
      restored.sources.push_back({image::source_kind::file_copy, 1, 0, "file-" + std::to_string(restored.sources.size())});
      c.source = static_cast<std::uint16_t>(restored.sources.size());
    }
    if (restored.chunks.empty()) return "no chunk";
    image::image_saver after(how);
    after.begin_from(restored, 1, "rank-00000.mana", image::upper_regions(0, 0), "");
    const std::string mode = after.write(plan_of(2), 2).mode;
    return mode.find("changes since 1") != mode.npos ? "" : mode;
  }) == "");
}

TEST_CASE("an image takes the time that its rate gives it, where it is limited") {
  constexpr std::size_t bytes = 10'000 * wm::page;      // the last part of them is given away at once
  constexpr std::uint64_t rate = 100'000'000;
  const temporary_directory place;
  CHECK(in_child([&]() -> std::string {
    wm::map(wm::heap, bytes);
    wm::fill(wm::heap, bytes, 1);
    image::saving how;
    how.how = image::parse_packing("none");
    how.most_per_s = rate;
    image::image_saver saver(how);
    image::image_plan plan;
    plan.path = place.path() / "image";
    plan.regions = image::upper_regions(0, 0);
    const auto begin = std::chrono::steady_clock::now();
    saver.write(std::move(plan), 1);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    constexpr double least = 0.75 * bytes * 3 / 4 / rate;      // a quarter of the pages is zeros
    if (took < least) return "it took " + std::to_string(took) + " s";
    return {};
  }) == "");
}

}  // namespace saver_base_tests
