#include <runtime/tools/memory/image_choice.hpp>

#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/store_failure.hpp>

#include <runtime/image/format/generation_name.hpp>
#include <runtime/store/removal.hpp>
#include <runtime/store/store.hpp>
#include <runtime/store/store_paths.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace mana::tools {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number_in(std::string name, const std::string& before, const std::string& behind) {
  if (!name.starts_with(before) || !name.ends_with(behind) || name.size() <= before.size() + behind.size())
    return std::nullopt;
  name = name.substr(before.size(), name.size() - before.size() - behind.size());
  std::uint64_t number = 0;
  const auto [at, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && at == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> generation_of(const fs::path& directory) {
  return number_in(directory.filename().string(), "gen-", "");
}

std::uint64_t size_of(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(file, error);
  return error ? 0 : bytes;
}

/// out: the images of a generation without a manifest
std::vector<chosen_image> images_in(const fs::path& directory) {
  std::vector<chosen_image> found;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
    if (const auto rank = number_in(entry->path().filename().string(), "rank-", ".mana"))
      found.push_back({static_cast<std::uint32_t>(*rank), entry->path().string(), size_of(entry->path())});
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return found;
}

chosen of_generation(const fs::path& directory) {
  chosen found{directory.string(), generation_of(directory), true, {}};
  found.complete = store::is_complete({found.directory, 0});
  if (!found.complete) {
    found.images = images_in(directory);
    return found;
  }
  try {
    for (const store::rank_file& f : store::read_manifest(found.directory).files)
      found.images.push_back({f.rank, found.directory + "/" + f.name, std::max(f.memory_bytes, f.bytes)});
  } catch (const store::store_error& error) {
    fail_with(error);
  }
  return found;
}

chosen of_directory(const fs::path& directory) {
  if (generation_of(directory)) return of_generation(directory);
  try {
    return of_generation(store::newest_complete(directory.string()).path);
  } catch (const store::store_error& error) {
    fail_with(error);
  }
}

/// The image itself says its rank.
chosen of_file(const fs::path& path) {
  const fs::path directory = path.parent_path();
  return {directory.string(), generation_of(directory), store::is_complete({directory.string(), 0}),
          {{static_cast<std::uint32_t>(number_in(path.filename().string(), "rank-", ".mana").value_or(0)),
            path.string(), size_of(path)}}};
}

bool is_being_written(const chosen& images) {
  if (images.complete || !images.generation) return false;
  if (image::generation_name(*images.generation) != files::name_of(images.directory)) return false;
  try {
    return store::may_be_written(files::own_directory::open(files::directory_of(images.directory)), *images.generation);
  } catch (const files::image_error&) {
    return false;                          // a reader will report the reason
  }
}

/// out: nothing if there is no readable manifest; then no manifest names the images
std::optional<store::manifest> manifest_of(const chosen& images) {
  if (!images.complete) return std::nullopt;
  try {
    return store::read_manifest(images.directory);
  } catch (const store::store_error&) {
    return std::nullopt;
  }
}

void compare_with_manifest(chosen& images) {
  const auto contents = manifest_of(images);
  if (!contents) return;
  for (chosen_image& i : images.images)
    for (const store::rank_file& f : contents->files) try {
        if (f.name == files::name_of(i.path))
          store::check_file({images.directory, 0}, *contents, f, store::depth::identity);
      } catch (const store::store_error& error) {
        i.problem.emplace(code_of(error.kind()), error.what());
      }
}

}  // namespace

void require_own(const chosen& images) {
  for (const chosen_image& i : images.images)
    if (i.problem) throw *i.problem;
}

chosen choose_images(const std::string& word, std::optional<std::uint32_t> rank) {
  std::error_code error;
  const fs::path path = store::tidy(word);
  if (!fs::exists(path, error) && error)
    throw failure(exit_status::checkpoint_unreadable, fmt::format("{}: {}", word, error.message()));
  if (!fs::exists(path, error))
    throw failure(exit_status::checkpoint_missing, word + ": there is no such file or directory",
                  "name a directory of checkpoints, a checkpoint in it, or an image");
  chosen found = fs::is_directory(path, error) ? of_directory(path) : of_file(path);
  if (is_being_written(found))
    throw failure(exit_status::checkpoint_missing, found.directory + ": this checkpoint is being written",
                  "wait until mana list shows it as complete");
  if (rank) std::erase_if(found.images, [rank](const chosen_image& i) { return i.rank != *rank; });
  if (found.images.empty())
    throw failure(exit_status::checkpoint_missing,
                  rank ? fmt::format("{}: there is no image of rank {}", found.directory, *rank)
                       : found.directory + ": there is no image");
  compare_with_manifest(found);
  return found;
}

}  // namespace mana::tools
