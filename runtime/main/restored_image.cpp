#include "restored_image.hpp"

#include <generation_name.hpp>
#include <local_failure.hpp>
#include <store.hpp>

namespace mana::run {

std::string restored_image::path_of_generation() const { return directory + "/" + image::generation_name(generation); }

std::string restored_image::path() const { return path_of_generation() + "/" + store::rank_file_name(rank); }

restored_image& image_of_restart() noexcept {
  static auto& the_image = *new restored_image;
  return the_image;
}

void mark_restart_failed(const std::string& why) noexcept {
  const restored_image& own = image_of_restart();
  const std::string text = "rank " + std::to_string(own.rank) + why;
  if (own.is_on_node) store::mark_local_failed(own.directory, own.generation, own.rank, text);
  else store::mark_failed({own.path_of_generation(), own.generation}, text);
}

}  // namespace mana::run
