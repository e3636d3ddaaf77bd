#include "store.hpp"

#include "file_stream.hpp"
#include "manifest.hpp"
#include "rank_image.hpp"

#include <mana/core/fault_points.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace fs = std::filesystem;

namespace mana::store {

namespace {

constexpr const char* manifest_name = "manifest.json";
constexpr const char* prefix = "gen-";

/// errno says why.
[[noreturn]] void refuse(const std::string& path, const char* what) {
  const int error = errno;
  throw store_error(error_kind::unwritable, path + ": " + what + ": " + std::strerror(error) + image::remedy(error));
}

/// Makes what is in a directory, or a file's bytes, durable.
void sync_path(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) refuse(path, "cannot be opened");
  const int rc = fsync(fd);
  close(fd);
  if (rc != 0) refuse(path, "cannot be made durable");
}

/// Makes the directory and those above it that are missing, all 0700 and durable.
void make_directories(const fs::path& path) {
  std::error_code error;
  if (path.empty() || fs::is_directory(path, error)) return;
  make_directories(path.parent_path());
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) refuse(path.string(), "the directory cannot be made");
  sync_path(path.has_parent_path() ? path.parent_path().string() : ".");
}

/// Without the slash at the end that a user may have typed, and without "." and "..".
fs::path tidy(const std::string& directory) {
  const fs::path path = fs::absolute(directory).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

/// The generation's number from its directory's name.
std::optional<std::uint64_t> number_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(prefix)) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + std::strlen(prefix), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

/// Writes under another name, syncs, renames into place.
void write_durably(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new";
  unlink(temporary.c_str());
  try {
    image::file_writer out(temporary);
    out.append(text.data(), text.size());
    out.finish();
  } catch (const image::image_error& error) {
    throw store_error(error_kind::unwritable, error.what());
  }
  fault_point(fault::point::manifest_written);
  if (rename(temporary.c_str(), path.c_str()) == 0) return;
  const int why = errno;
  unlink(temporary.c_str());
  errno = why;
  refuse(path, "cannot be put in its place");
}

/// The manifest first: a directory that is half removed is no checkpoint.
void remove_generation(const generation& g) noexcept {
  std::error_code ignored;
  if (fs::remove(g.path + "/" + manifest_name, ignored)) {
    const int fd = open(g.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      fsync(fd);
      close(fd);
    }
    fault_point(fault::point::half_removed);
  }
  fs::remove_all(g.path, ignored);
}

/// Generations that the images of this one refer to. One that cannot be read needs nothing any more.
void add_needed(const generation& g, std::set<std::uint64_t>& needed) {
  for (const rank_file& f : read_manifest(g.path).files) try {
      const image::rank_image own(g.path + "/" + f.name);
      for (const image::source& s : own.about().sources)
        if (s.kind == image::source_kind::generation) needed.insert(s.generation);
    } catch (const image::image_error&) {
    }
}

/// Keeps the newest complete ones, and what they refer to; of what is not complete, only what is newer than them.
/// Never fails a commit that is done: what cannot be removed now goes with the next one.
void prune(const std::string& directory) noexcept try {
  std::vector<generation> all = list(directory);
  std::size_t complete = 0;
  std::set<std::uint64_t> needed;
  for (auto g = all.rbegin(); g != all.rend() && complete < kept_generations; ++g)
    if (is_complete(*g)) {
      add_needed(*g, needed);
      ++complete;
    }
  complete = 0;
  for (auto g = all.rbegin(); g != all.rend(); ++g) {
    if (needed.contains(g->number)) continue;
    if (complete >= kept_generations) remove_generation(*g);
    else if (is_complete(*g)) ++complete;
    else if (complete > 0) remove_generation(*g);
  }
} catch (const std::exception&) {
}

void check_files(const generation& made, const manifest& contents) {
  for (const rank_file& f : contents.files) {
    struct stat about{};
    const std::string path = made.path + "/" + f.name;
    if (stat(path.c_str(), &about) != 0 || static_cast<std::uint64_t>(about.st_size) != f.bytes)
      throw store_error(error_kind::missing_file, path + ": rank " + std::to_string(f.rank) + " wrote " +
                        std::to_string(f.bytes) + " bytes that rank 0 does not see; the checkpoint directory must be "
                        "on a file system that all nodes share");
  }
}

}  // namespace

std::string rank_file_name(std::uint32_t rank) {
  char text[32];
  std::snprintf(text, sizeof text, "rank-%05u.mana", rank);
  return text;
}

std::vector<generation> list(const std::string& directory) {
  const fs::path path = tidy(directory);
  std::vector<generation> found;
  if (const auto own = number_of(path); own && is_complete({path.string(), *own})) return {{path.string(), *own}};
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
    if (const auto number = number_of(entry->path()); number && entry->is_directory(error))
      found.push_back({entry->path().string(), *number});
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return found;
}

bool is_complete(const generation& g) { return access((g.path + "/" + manifest_name).c_str(), F_OK) == 0; }

generation begin_generation(const std::string& directory) {
  const fs::path path = tidy(directory);
  make_directories(path);
  const std::vector<generation> all = list(path.string());
  const std::uint64_t number = all.empty() ? 1 : all.back().number + 1;
  char name[32];
  std::snprintf(name, sizeof name, "%s%06llu", prefix, static_cast<unsigned long long>(number));
  const generation made{(path / name).string(), number};
  if (mkdir(made.path.c_str(), 0700) != 0) refuse(made.path, "the directory cannot be made");
  return made;
}

void commit(const generation& made, const manifest& contents) {
  check_files(made, contents);
  const std::string parent = fs::path(made.path).parent_path().string();
  sync_path(made.path);
  sync_path(parent);
  const std::string name = made.path + "/" + manifest_name;
  write_durably(name, to_json(contents));
  fault_point(fault::point::manifest_named);
  try {
    sync_path(made.path);
  } catch (const store_error&) {
    unlink(name.c_str());
    throw;
  }
  fault_point(fault::point::before_prune);
  prune(parent);
}

void abandon(const generation& made) noexcept { remove_generation(made); }

generation newest_complete(const std::string& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error))
    throw store_error(error_kind::no_checkpoint,
                      directory + ": no such directory; name the one that mana run was given by --ckpt-dir");
  std::vector<generation> all = list(directory);
  for (auto g = all.rbegin(); g != all.rend(); ++g)
    if (is_complete(*g)) return *g;
  throw store_error(error_kind::no_checkpoint, directory + ": there is no complete checkpoint" +
                    (all.empty() ? std::string() : " (" + std::to_string(all.size()) + " that were not finished)") +
                    "; name the directory that mana run was given by --ckpt-dir");
}

manifest read_manifest(const std::string& path) {
  const std::string name = path + "/" + manifest_name;
  std::ifstream file(name, std::ios::binary);
  if (!file) throw store_error(error_kind::no_checkpoint, name + ": cannot be opened; the checkpoint is not complete");
  std::ostringstream text;
  text << file.rdbuf();
  try {
    return from_json(text.str());
  } catch (const store_error& error) {
    throw store_error(error.kind(),
                      name + ": the manifest is damaged: " + error.what() + "; restart an earlier checkpoint");
  }
}

namespace {

[[noreturn]] void wrong_image(error_kind kind, const std::string& path, const std::string& what) {
  throw store_error(kind, path + ": " + what + "; restart an earlier checkpoint (mana list shows them)");
}

}  // namespace

void check_file(const generation& g, const manifest& contents, const rank_file& f, depth how) {
  const std::string path = g.path + "/" + f.name;
  struct stat about{};
  if (stat(path.c_str(), &about) != 0)
    wrong_image(error_kind::missing_file, path, "the image of rank " + std::to_string(f.rank) + " is missing");
  if (static_cast<std::uint64_t>(about.st_size) != f.bytes)
    wrong_image(error_kind::damaged, path,
                "the image has " + std::to_string(about.st_size) + " bytes, " + std::to_string(f.bytes) +
                    " were written");
  try {
    image::rank_image image(path);
    if (image.header().rank != f.rank || image.header().world_size != contents.ranks)
      wrong_image(error_kind::damaged, path,
                  "this is the image of rank " + std::to_string(image.header().rank) + " of " +
                      std::to_string(image.header().world_size) + ", not of rank " + std::to_string(f.rank) + " of " +
                      std::to_string(contents.ranks));
    if (image.checksum() != f.checksum)
      wrong_image(error_kind::damaged, path, "this image belongs to another checkpoint");
    if (how == depth::all_bytes) image.verify();
  } catch (const image::image_error& error) {
    throw store_error(error.kind() == image::error_kind::missing ? error_kind::missing_file : error_kind::damaged,
                      error.what());
  }
}

void verify(const generation& g) {
  const manifest contents = read_manifest(g.path);
  for (const rank_file& f : contents.files) check_file(g, contents, f, depth::all_bytes);
}

}  // namespace mana::store
