// A rank's image of known memory, made in this process.
#pragma once
#include "../image/window_memory.hpp"
#include "../temporary_directory.hpp"

#include <runtime/image/format/packing.hpp>
#include <runtime/image/format/regions.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <string>
#include <vector>

namespace saved_image {

namespace wm = window_memory;

inline constexpr std::size_t pages = 200, bytes = pages * wm::page;      // more than three chunks

inline char* page_at(std::size_t i) { return reinterpret_cast<char*>(wm::heap + i * wm::page); }

/// Memory in the window as long as it lives: `pages` pages, of which one in four is zero.
struct known_memory {
  known_memory() {
    wm::map(wm::heap, bytes);
    wm::fill(wm::heap, bytes, 7);
  }
  ~known_memory() { munmap(page_at(0), bytes); }
  known_memory(const known_memory&) = delete;
  known_memory& operator=(const known_memory&) = delete;
};

inline mana::image::section section_of(const std::string& name, const std::string& text) {
  return {name, {text.begin(), text.end()}};
}

/// out: its path
inline std::string write(const temporary_directory& in, const std::string& name, const char* how = "none",
                         std::vector<mana::image::section> sections = {section_of("one", "1")}) {
  mana::image::image_plan plan;
  plan.path = (in.path() / name).string();
  plan.regions = mana::image::upper_regions(0, 0);
  plan.how = mana::image::parse_packing(how);
  plan.sections = std::move(sections);
  const std::string path = plan.path;
  write_rank_image(std::move(plan));
  return path;
}

}  // namespace saved_image
