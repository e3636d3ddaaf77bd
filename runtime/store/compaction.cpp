#include <runtime/store/compaction.hpp>

#include <runtime/image/format/generation_name.hpp>
#include <runtime/image/read/image_memory.hpp>
#include <runtime/store/directory_lock.hpp>
#include <runtime/store/removal.hpp>
#include <runtime/store/store_id.hpp>
#include <runtime/store/store_paths.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace mana::store {

namespace {

generation newest_in(const std::string& directory) {
  generation newest = newest_complete(directory);
  if (tidy(directory).string() == newest.path)
    throw store_error(error_kind::no_checkpoint, directory + ": this is one checkpoint; name its directory, whose "
                                                             "newest checkpoint is compacted");
  if (const auto failed = failure_of(newest))
    throw store_error(error_kind::damaged, newest.path + ": a restart from it failed: " + *failed);
  return newest;
}

/// Refuses if a newer checkpoint has begun since: its memory is newer than the copy, but the copy would count as the
/// newest. The same applies if only a generation's number exists here: its images may be on nodes, not copied or only
/// in part.
void check_still_newest(const files::own_directory& all, const generation& original, const generation& copy) {
  if (original.number + 1 < copy.number &&
      directory_lock::state_of_generations(all, original.number + 1, copy.number) == lock_end::busy)
    throw store_error(error_kind::no_checkpoint, all.path() + ": a job is taking a newer checkpoint there; try again "
                                                              "later");
  const bool has_nodes = read_store_id(all.path()).has_value();
  for (const generation& g : list(all.path())) {
    if (g.number <= original.number || g.number >= copy.number) continue;
    if (is_complete(g) || may_be_written(all, g.number))
      throw store_error(error_kind::no_checkpoint, g.path + ": a job is taking a newer checkpoint there; try again "
                                                            "later");
    if (has_nodes)
      throw store_error(error_kind::no_checkpoint, g.path + ": its images may be only on the nodes, and newer than "
                                                            "the checkpoint to compact; try again after the next "
                                                            "complete checkpoint, or remove this directory to give "
                                                            "them up");
  }
}

/// In words for people.
std::string mode_of(const generation& original, const compact_how& how) {
  return "whole, " + image::as_text(how.packing) + ", compacted from " + std::to_string(original.number);
}

/// Makes a rank's image in the copy.
rank_file copy_of(const generation& original, const manifest& contents, const rank_file& f, const generation& copy,
                  const compact_how& how, const files::path_map& moved,
                  const std::function<void(std::uint64_t)>& looked) {
  check_file(original, contents, f, depth::identity);
  return in_store(error_kind::unwritable, [&] {
    image::rank_image whole(original.path + "/" + f.name);
    whole.check_program_files(moved);
    const image::write_result w = image::write_whole(whole, copy.path + "/" + f.name, mode_of(original, how), how.packing,
                                                      how.pack_threads, looked);
    return rank_file{f.rank, f.name, w.file_bytes, w.memory_bytes, w.checksum, 0, f.write_s};
  });
}

manifest copy_all(const generation& original, manifest contents, const generation& copy, const compact_how& how,
                  const work_listener& progress, const files::path_map& moved) {
  const manifest before = contents;
  std::vector<work_size> parts;
  for (const rank_file& f : contents.files) parts.push_back({"rank " + std::to_string(f.rank), f.memory_bytes});
  progress.begins(parts);
  for (std::size_t i = 0; i < contents.files.size(); ++i) {
    rank_file& f = contents.files[i];
    f = copy_of(original, before, f, copy, how, moved, [&progress, i](std::uint64_t bytes) { progress.did(i, bytes); });
  }
  contents.mode = mode_of(original, how);
  contents.builds_on.clear();
  contents.copies.clear();
  return contents;
}

std::uint64_t bytes_of(const manifest& m) {
  std::uint64_t bytes = 0;
  for (const rank_file& f : m.files) bytes += f.bytes;
  return bytes;
}

void compact_to(const generation& copy, const files::own_directory& all, const generation& original,
                const manifest& contents, const compact_how& how, const work_listener& progress,
                const files::path_map& moved, compact_result& result) {
  check_still_newest(all, original, copy);
  const manifest whole = copy_all(original, contents, copy, how, progress, moved);
  commit(copy, whole);
  result.to = copy.number;
  result.bytes_after = bytes_of(whole);
}

bool is_by_reference(const generation& g, const manifest& contents) {
  return std::any_of(contents.files.begin(), contents.files.end(), [&](const rank_file& f) {
    check_file(g, contents, f, depth::identity);
    return in_store(error_kind::unreadable,
                    [&] { return image::refers_to_program_files(image::rank_image(g.path + "/" + f.name).about()); });
  });
}

}  // namespace

compact_result compact(const std::string& directory, const compact_how& how, const work_listener& progress,
                       const files::path_map& moved) {
  const generation original = newest_in(directory);
  const auto all =
      in_store(error_kind::unreadable, [&] { return files::own_directory::open(files::directory_of(original.path)); });
  const auto lock = directory_lock::of_all(all, lock_kind::shared, directory_lock::removal_patience);
  const manifest contents = read_manifest(original.path);
  compact_result result{original.number, 0, contents.builds_on, is_by_reference(original, contents),
                        bytes_of(contents), 0};
  if (contents.builds_on.empty() && !result.by_reference) return result;
  const generation copy = begin_generation(all.path());
  try {
    compact_to(copy, all, original, contents, how, progress, moved, result);
  } catch (...) {
    abandon(copy);
    throw;
  }
  return result;
}

}  // namespace mana::store
