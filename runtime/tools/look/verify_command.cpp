// `mana verify`: reads every byte of a directory's checkpoints.
#include <runtime/tools/job/survey.hpp>
#include <runtime/tools/options/commands.hpp>
#include <runtime/tools/options/option_checks.hpp>
#include <runtime/words/exit_status.hpp>
#include <runtime/tools/text/progress_output.hpp>
#include <runtime/tools/text/store_failure.hpp>

#include <runtime/files/own_directory.hpp>
#include <runtime/image/read/rank_image.hpp>
#include <runtime/store/store.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mana::tools {
namespace {

/// out: all images without a known problem
std::vector<image_view*> images_of(std::vector<checkpoint_view>& checkpoints, std::vector<work_part>& parts) {
  std::vector<image_view*> images;
  for (checkpoint_view& v : checkpoints)
    for (image_view& image : v.images) {
      if (!image.problem.empty()) continue;
      images.push_back(&image);
      parts.push_back({fmt::format("rank {} of checkpoint {}", image.rank, v.generation), image.memory_bytes, 0});
    }
  return images;
}

/// A missing file of the program does not stop the other checks.
void check_image(image_view& image, const files::path_map& moved, const std::function<void(std::uint64_t)>& read) {
  const auto lacks = [&image](const files::image_error& error) {
    if (error.kind() == files::error_kind::file) image.lacks = fmt::format("{}; {}", error.what(), map_remedy);
    else image.problem = error.what();
  };
  try {
    image::rank_image of_rank(image.path);
    try {
      of_rank.check_program_files(moved);
    } catch (const files::image_error& error) {
      lacks(error);
    }
    if (image.problem.empty()) of_rank.verify(read, image.lacks.empty());
  } catch (const files::image_error& error) {
    lacks(error);
  }
}

void check_copies(checkpoint_view& checkpoint) {
  for (copy_view& copy : checkpoint.copies) {
    if (!copy.problem.empty()) continue;
    try {
      store::check_copy({checkpoint.directory, checkpoint.generation},
                        {files::name_of(copy.path), copy.bytes, copy.checksum}, store::depth::all_bytes);
    } catch (const store::store_error& error) {
      copy.problem = error.what();
    }
  }
}

void check_all(std::vector<checkpoint_view>& checkpoints, const files::path_map& moved, bool show_progress) {
  std::vector<work_part> parts;
  const std::vector<image_view*> images = images_of(checkpoints, parts);
  progress_output output("verify", show_progress);
  output.begin(std::move(parts));
  in_parallel(images.size(), idle_cores(), [&](std::size_t i) {
    check_image(*images[i], moved, [&output, i](std::uint64_t bytes) { output.add(i, bytes); });
  });
  for (checkpoint_view& v : checkpoints) check_copies(v);
}

exit_status verdict(const std::vector<checkpoint_view>& checkpoints) {
  const auto any = [&checkpoints](auto&& holds) { return std::any_of(checkpoints.begin(), checkpoints.end(), holds); };
  if (any([](const checkpoint_view& v) { return v.complete && !v.unreadable && !is_sound(v); })) return exit_status::checkpoint_damaged;
  if (any([](const checkpoint_view& v) { return v.unreadable; })) return exit_status::checkpoint_unreadable;
  if (!any([](const checkpoint_view& v) { return v.complete; })) return exit_status::checkpoint_missing;
  return any(lacks_files) ? exit_status::surroundings_differ : exit_status::success;
}

}  // namespace

int verify(const verify_command& wanted) {
  auto all = view_directory(wanted.directory, wanted.generation);
  check_all(all, path_map_of(wanted.moved), wanted.progress);
  leave_out_what_is_gone(all);
  fmt::print("{}", wanted.json ? as_json(all) : as_text(all, true));
  return static_cast<int>(verdict(all));
}

}  // namespace mana::tools
