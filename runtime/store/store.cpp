#include <runtime/store/store.hpp>

#include <runtime/files/own_table.hpp>
#include <runtime/image/format/generation_name.hpp>
#include <runtime/image/origins/program_files.hpp>
#include <runtime/store/directory_lock.hpp>
#include <runtime/store/failure_text.hpp>
#include <runtime/store/manifest.hpp>
#include <runtime/store/removal.hpp>
#include <runtime/store/store_paths.hpp>

#include <mana/core/fault_points.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace mana::store {

using image::generation_name;
using image::generation_number;
using files::own_directory;

namespace {

/// Time to wait for removals, which hold the lock for an instant: their files go after they release it.
constexpr std::chrono::seconds patience{10};

std::vector<std::uint64_t> numbers_in(const own_directory& directory) {
  std::vector<std::uint64_t> found;
  for (const std::string& name : directory.names())
    if (const auto number = generation_number(name); number && directory.has_directory(name)) found.push_back(*number);
  std::sort(found.begin(), found.end());
  return found;
}

/// in: who  wrote it
void check_bytes(const own_directory& own, const std::string& name, std::uint64_t bytes, const std::string& who) {
  std::optional<std::uint64_t> seen;
  try {
    seen = own.file_bytes(name);
  } catch (const files::image_error& error) {
    if (error.kind() != files::error_kind::missing) throw;
  }
  if (seen != bytes)
    throw store_error(error_kind::missing_file, own.path_of(name) + ": " + who + " wrote " + std::to_string(bytes) +
                      " bytes that rank 0 does not see; put the checkpoint directory on a file system that all nodes "
                      "share");
}

void check_files(const own_directory& own, const manifest& contents) {
  for (const rank_file& f : contents.files) check_bytes(own, f.name, f.bytes, "rank " + std::to_string(f.rank));
  for (const file_copy& f : contents.copies) check_bytes(own, f.name, f.bytes, "a rank");
}

/// Ranks refer to the files under the copies' names: each must be one that a rank has made.
void check_copies(const own_directory& own, const manifest& contents) {
  for (const std::string& name : own.names())
    if (name.starts_with(image::program_files::copy_begins) &&
        std::none_of(contents.copies.begin(), contents.copies.end(), [&](const file_copy& f) { return f.name == name; }))
      throw store_error(error_kind::missing_file, own.path_of(name) + ": no rank has made this file, and images may "
                                                                      "refer to it");
}

/// INV-36 a committed checkpoint refers to nothing that was removed, or is known to be damaged: a removal is over
/// before the check, or waits for the commit.
void check_bases(const own_directory& all, const manifest& contents) {
  for (const std::uint64_t base : contents.builds_on) {
    const std::string name = generation_name(base);
    const bool is_there = all.has_directory(name) && all.open_directory(name).has(manifest_name);
    if (is_there && all.open_directory(name).has(failed_name))
      throw store_error(error_kind::damaged, all.path_of(name) + ": the images have a part of their memory there, and a restart "
                        "found it damaged; the next checkpoint will be whole");
    if (!is_there)
      throw store_error(error_kind::missing_file, all.path_of(name) + ": the images have a part of their memory "
                                                                      "there, and it was removed; the next checkpoint "
                                                                      "will be whole");
  }
}

/// Writes under another name, syncs, and renames.
void write_manifest(const own_directory& own, const std::string& text) {
  own.remove(new_manifest_name);
  own.write_file(new_manifest_name, text);
  fault_point(fault::point::manifest_written);
  try {
    own.rename(new_manifest_name, manifest_name);
    fault_point(fault::point::manifest_named);
    own.sync();
  } catch (const files::image_error&) {
    own.remove(new_manifest_name);
    own.remove(manifest_name);
    throw;
  }
}

void make_exist(const generation& made, manifest& contents) {
  const auto begin = std::chrono::steady_clock::now();
  const own_directory all = own_directory::open(files::directory_of(made.path));
  const own_directory own = all.open_directory(files::name_of(made.path));
  check_files(own, contents);
  check_copies(own, contents);
  own.sync();
  all.sync();
  const auto lock = directory_lock::of_all(all, lock_kind::shared, patience);
  check_bases(all, contents);
  contents.phases_s.commit = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  contents.phases_s.total += contents.phases_s.commit;
  write_manifest(own, to_json(contents));
}

}  // namespace

std::string rank_file_name(std::uint32_t rank) {
  char text[32];
  std::snprintf(text, sizeof text, "rank-%05u.mana", rank);
  return text;
}

std::vector<generation> list(const std::string& directory) {
  const std::string path = tidy(directory).string();
  if (const auto own = generation_number(files::name_of(path)); own && is_complete({path, *own})) return {{path, *own}};
  std::vector<generation> found;
  try {
    const own_directory all = own_directory::open(path);
    for (const std::uint64_t number : numbers_in(all)) found.push_back({all.path_of(generation_name(number)), number});
  } catch (const files::image_error& error) {
    if (error.kind() != files::error_kind::missing) throw as_store_error(error, error_kind::unreadable);
  }
  return found;
}

bool is_complete(const generation& g) {
  struct stat about{};
  return lstat((g.path + "/" + manifest_name).c_str(), &about) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

/// If another job takes the same number at the same time, this one takes the next.
generation begin_generation(const std::string& directory, std::uint64_t at_least) {
  return in_store(error_kind::unwritable, [&]() -> generation {
    const own_directory all = own_directory::make(tidy(directory).string());
    const std::vector<std::uint64_t> before = numbers_in(all);
    for (std::uint64_t number = std::max(at_least, before.empty() ? 1 : before.back() + 1);; ++number) {
      auto lock = std::make_shared<directory_lock>(directory_lock::of_generation(all, number));
      const std::string name = generation_name(number);
      if (lock->end() == lock_end::busy || all.has_directory(name)) continue;
      return {all.make_directory(name).path(), number, std::move(lock)};
    }
  });
}

void commit(const generation& made, manifest contents) {
  contents.version = 2;
  contents.generation = made.number;
  std::sort(contents.copies.begin(), contents.copies.end(), [](auto& a, auto& b) { return a.name < b.name; });
  in_store(error_kind::unwritable, [&] { files::in_own_table([&] { make_exist(made, contents); }); });
  if (made.writing) made.writing->release();
}

void tidy(const generation& made, std::size_t keep) noexcept {
  fault_point(fault::point::before_prune);
  try {
    files::in_own_table(
        [&] { remove_superfluous(files::directory_of(made.path), keep, false, std::chrono::milliseconds(0)); });
  } catch (const std::exception&) {
  }
}

void abandon(const generation& made, number_after number) noexcept {
  try {
    const own_directory all = own_directory::open(files::directory_of(made.path));
    if (number == number_after::free) remove_files(all, made.number);
    else remove_contents(all, made.number);
  } catch (const std::exception&) {
  }
  if (made.writing) made.writing->release();
}

generation newest_complete(const std::string& directory) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error))
    throw store_error(error_kind::no_checkpoint,
                      directory + ": no such directory; name the one that mana run was given by --ckpt-dir");
  std::vector<generation> all = list(directory);
  for (auto g = all.rbegin(); g != all.rend(); ++g)
    if (is_complete(*g)) return *g;
  throw store_error(error_kind::no_checkpoint, directory + ": there is no complete checkpoint" +
                    (all.empty() ? std::string() : " (" + std::to_string(all.size()) + " unfinished)") +
                    "; name the directory that mana run was given by --ckpt-dir");
}

void mark_failed(const generation& g, const std::string& why) noexcept {
  try {
    write_failure(own_directory::at(g.path), failed_name, why);
  } catch (const std::exception&) {
  }
}

std::optional<std::string> failure_of(const generation& g) {
  return in_store(error_kind::unreadable, [&]() -> std::optional<std::string> {
    try {
      return read_failure(own_directory::at(g.path), failed_name);
    } catch (const files::image_error& error) {
      if (error.kind() == files::error_kind::missing) return std::nullopt;      // removed meanwhile
      throw;
    }
  });
}

}  // namespace mana::store
