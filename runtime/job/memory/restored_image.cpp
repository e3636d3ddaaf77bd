#include <runtime/job/memory/restored_image.hpp>

#include <runtime/files/own_directory.hpp>
#include <runtime/image/format/generation_name.hpp>
#include <runtime/store/nodes/local_failure.hpp>
#include <runtime/store/store.hpp>

#include <exception>

namespace mana::job {

std::string restored_image::path_of_generation() const { return directory + "/" + image::generation_name(generation); }

std::string restored_image::path() const { return path_of_generation() + "/" + store::rank_file_name(rank); }

restored_image& image_of_restart() noexcept {
  static auto& the_image = *new restored_image;
  return the_image;
}

namespace {

/// Marks another generation, to which the image refers.
void mark_owner(const restored_image& own, const std::string& text) {
  if (own.damaged_file.empty()) return;
  const std::string holder = files::directory_of(own.damaged_file), all = files::directory_of(holder);
  const auto number = image::generation_number(files::name_of(holder));
  if (!number || *number == own.generation) return;
  if (own.is_on_node && all == own.directory) store::mark_local_failed(all, *number, own.rank, text);
  else store::mark_failed({holder, *number}, text);
}

}  // namespace

void mark_restart_failed(const std::string& why) noexcept {
  const restored_image& own = image_of_restart();
  const std::string text = "rank " + std::to_string(own.rank) + why;
  if (own.is_on_node) store::mark_local_failed(own.directory, own.generation, own.rank, text);
  else store::mark_failed({own.path_of_generation(), own.generation}, text);
  try {
    mark_owner(own, text);
  } catch (const std::exception&) {
    // The next restart finds the damage again.
  }
}

}  // namespace mana::job
